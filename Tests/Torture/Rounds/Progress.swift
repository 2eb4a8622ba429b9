import Dispatch
import Foundation

/// How far a run is: one line that is rewritten on a terminal, a line now and then elsewhere.
final class Progress {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var nextLine = DispatchTime.now()
    private var isOpen = false

    /// Says it unless something was said a moment ago.
    func show(_ text: @autoclosure () -> String) {
        guard DispatchTime.now() >= nextLine else { return }
        nextLine = .now() + (isTerminal ? 0.1 : 15)
        write(isTerminal ? "\r\u{1B}[K\(text())" : "\(text())\n")
        isOpen = isTerminal
    }

    /// Says it for good.
    func say(_ text: String) {
        clear()
        write("\(text)\n")
    }

    /// Takes a line that is rewritten away.
    func clear() {
        if isOpen { write("\r\u{1B}[K") }
        isOpen = false
    }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
