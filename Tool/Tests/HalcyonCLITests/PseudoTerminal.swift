import Foundation
import Testing

/// A terminal whose contents a test can read.
final class PseudoTerminal {
    private let master: Int32
    private let slave: Int32
    /// The end for the tool's input and output.
    let handle: FileHandle

    init(columns: UInt16, rows: UInt16 = 24) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        slave = open(try Self.slaveName(of: master), O_RDWR | O_NOCTTY)
        try #require(slave >= 0)
        handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        resize(columns: columns, rows: rows)
    }

    /// Resizes the window, without the signal that follows.
    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    }

    #if canImport(Darwin)
        private static func slaveName(of master: Int32) throws -> String {
            try #require(grantpt(master) == 0 && unlockpt(master) == 0)
            return String(cString: try #require(ptsname(master)))
        }
    #else
        /// What `unlockpt` and `ptsname` do; Swift's view of the C library has neither.
        private static func slaveName(of master: Int32) throws -> String {
            let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
            var (isLocked, index): (Int32, Int32) = (0, 0)
            try #require(ioctl(master, unlock, &isLocked) == 0 && ioctl(master, number, &index) == 0)
            return "/dev/pts/\(index)"
        }
    #endif

    deinit {
        close(slave)
        close(master)
    }

    /// The flags for echo and lines.
    var settings: tcflag_t {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag
    }

    /// Types at the terminal.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// What has been printed so far.
    func screen() -> String {
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}

extension Tool {
    /// `FileHandle.nullDevice` has no descriptor on Linux.
    static func openNull() throws -> FileHandle { try FileHandle(forUpdating: URL(fileURLWithPath: "/dev/null")) }

    /// Runs a command on the cache with some of its streams on a terminal.
    func atTerminal(
        _ terminal: PseudoTerminal, _ arguments: [String], input: Bool = false, output: Bool = false,
        errors: Bool = false
    ) throws -> Int32 {
        let null = try Self.openNull()
        let streams = [input, output, errors].map { $0 ? terminal.handle : null }
        return try start(arguments, streams: streams).wait()
    }
}
