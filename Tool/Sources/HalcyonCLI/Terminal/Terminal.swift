internal import Foundation

/// A file descriptor of a terminal.
struct Terminal {
    private let descriptor: Int32

    /// Returns nil if the descriptor is a file or a pipe.
    init?(_ descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = descriptor
    }

    /// Whether the terminal cannot move its cursor.
    static var isDumb: Bool { ProcessInfo.processInfo.environment["TERM"] == "dumb" }

    static var output: Terminal? { Terminal(STDOUT_FILENO) }
    static var messages: Terminal? { Terminal(STDERR_FILENO) }
    static var input: Terminal? { Terminal(STDIN_FILENO) }

    /// The number of columns. Read each time, because windows are resized.
    var width: Int { size.columns }

    /// Like ``width``, with the rows.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
