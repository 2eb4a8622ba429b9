import Dispatch
import Foundation

/// Shows the progress of a run: one line that is rewritten on a terminal, or an occasional line elsewhere.
final class Progress {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var nextLine = DispatchTime.now()
    private var isOpen = false

    /// Shows a text, unless the last one is very recent.
    func show(_ text: @autoclosure () -> String) {
        guard DispatchTime.now() >= nextLine else { return }
        nextLine = .now() + (isTerminal ? 0.1 : 15)
        write(isTerminal ? "\r\u{1B}[K\(text())" : "\(text())\n")
        isOpen = isTerminal
    }

    /// Prints a line that stays.
    func say(_ text: String) {
        clear()
        write("\(text)\n")
    }

    /// Clears the rewritten line.
    func clear() {
        if isOpen { write("\r\u{1B}[K") }
        isOpen = false
    }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
