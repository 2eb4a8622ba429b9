internal import Foundation

/// Draws on the whole terminal repeatedly. The previous contents are restored afterwards.
struct FullScreen {
    private let terminal: Terminal
    private let keyboard: Keyboard?

    init(_ terminal: Terminal, _ keyboard: Keyboard?) {
        self.terminal = terminal
        self.keyboard = keyboard
    }

    /// Switches to the alternate screen and hides the cursor.
    func enter() throws {
        keyboard?.enter()
        try write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    }

    func leave() throws {
        keyboard?.leave()
        try write("\u{1B}[?25h\u{1B}[?1049l")
    }

    /// How the user leaves, for the last line.
    var hint: String { keyboard == nil ? "Ctrl-C to leave" : "q or Ctrl-C to leave" }

    var size: (columns: Int, rows: Int) { terminal.size }

    /// Draws in one write, to avoid flicker. Each line is erased before it is written: after one that fills the width, the cursor
    /// is still on its last character. The last line has no line break, which would scroll the rest up.
    func draw(_ lines: [String]) throws {
        let text = lines.dropLast().map { "\u{1B}[K\($0)\r\n" }.joined()
        try write("\u{1B}[H\(text)\u{1B}[J\(lines.last ?? "")")
    }

    private func write(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try Output.write($0, to: STDOUT_FILENO) }
    }
}
