internal import Foundation

/// The whole of a terminal, for as long as something is drawn there anew and anew. What was on it comes back afterwards.
struct FullScreen {
    private let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// The other screen, without a cursor.
    func enter() throws { try write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J") }

    func leave() throws { try write("\u{1B}[?25h\u{1B}[?1049l") }

    var size: (columns: Int, rows: Int) { terminal.size }

    /// In one piece, so that nothing flickers; each line takes away what was in its place. No line break after the last one: it would
    /// move the rest up.
    func draw(_ lines: [String]) throws {
        let text = lines.map { "\($0)\u{1B}[K" }.joined(separator: "\r\n")
        try write("\u{1B}[H\(text)\u{1B}[J")
    }

    private func write(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try Output.write($0, to: STDOUT_FILENO) }
    }
}
