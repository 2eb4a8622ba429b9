internal import Dispatch
internal import Foundation

/// A progress line on standard error. Draws nothing if that is not a terminal, or one that cannot go back to the start of a line.
package final class ProgressBar {
    private let terminal: Terminal?
    private let total: Int?
    private var isShown = false
    private var nextDrawing = DispatchTime.now()

    /// - Parameter total: nil if the total is unknown; then only the count is shown.
    package init(total: Int?) {
        terminal = Terminal.isDumb ? nil : Terminal.messages
        self.total = total
    }

    /// Draws the line, unless it was drawn a moment ago.
    package func show(_ done: Int, _ label: @autoclosure () -> String = "") {
        guard let terminal, DispatchTime.now() >= nextDrawing else { return }
        nextDrawing = .now() + .milliseconds(60)
        isShown = true
        // Leave one column free: on some terminals, writing to the last one wraps.
        draw(Self.line(done: done, total: total, label: label(), width: terminal.width - 1))
    }

    /// Erases the line. Call it before printing another line, and at the end.
    package func clear() {
        guard isShown, let terminal else { return }
        isShown = false
        draw(String(repeating: " ", count: max(0, terminal.width - 1)))
        draw("")
    }

    private func draw(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data("\r\(line)".utf8)) }

    /// As much of the count, bar and label as fits, in this order, padded to the width to cover the previous line.
    package static func line(done: Int, total: Int?, label: String, width: Int) -> String {
        guard let total else { return fitted("\(done) \(label)", width) }
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let percent = "\(Int(share * 100)) %"
        let count = "\(percent)  \(done) of \(total)"
        guard count.count <= width else { return fitted(percent, width) }
        let barWidth = min(30, width - count.count - 4)
        guard barWidth >= 5 else { return fitted(count, width) }
        let front = "[\(bar(share, barWidth))]  \(count)"
        let room = width - front.count - 2
        return fitted(room < 8 ? front : "\(front)  \(TextWidth.shortened(label, to: room))", width)
    }

    private static func bar(_ share: Double, _ width: Int) -> String {
        let filled = Int(share * Double(width))
        return String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    }

    private static func fitted(_ text: String, _ width: Int) -> String {
        let text = TextWidth.shortened(text, to: max(0, width))
        return text + String(repeating: " ", count: max(0, width - TextWidth.columns(of: text)))
    }
}
