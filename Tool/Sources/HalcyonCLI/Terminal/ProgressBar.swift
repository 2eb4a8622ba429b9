internal import Dispatch
internal import Foundation

/// One line on standard error that shows how far a command is; nothing at all when nobody is looking.
package final class ProgressBar {
    private let terminal: Terminal?
    private let total: Int?
    private var isShown = false
    private var nextDrawing = DispatchTime.now()

    /// - Parameter total: nil when nobody knows how far it is: then only the count is shown.
    package init(total: Int?) {
        terminal = Terminal.messages
        self.total = total
    }

    /// Draws the line, unless that was done a moment ago.
    package func show(_ done: Int, _ label: @autoclosure () -> String = "") {
        guard let terminal, DispatchTime.now() >= nextDrawing else { return }
        nextDrawing = .now() + .milliseconds(60)
        isShown = true
        // One column is left free: writing into the last one wraps on some terminals.
        draw(Self.line(done: done, total: total, label: label(), width: terminal.width - 1))
    }

    /// Takes the line away, before another one is printed and at the end.
    package func clear() {
        guard isShown, let terminal else { return }
        isShown = false
        draw(String(repeating: " ", count: max(0, terminal.width - 1)))
        draw("")
    }

    private func draw(_ line: String) { FileHandle.standardError.write(Data("\r\(line)".utf8)) }

    /// As much of count, bar and label as fits, in this order, padded to the width so that it covers the line before.
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
