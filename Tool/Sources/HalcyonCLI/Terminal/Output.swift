internal import Foundation

/// Standard output, buffered.
final class Output {
    private var buffer: [UInt8] = []
    private static let capacity = 1 << 16

    /// Buffers a line.
    func line(_ text: String) throws { try self.text("\(text)\n") }

    /// Buffers text.
    func text(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes the rest of the buffer.
    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { try Self.write($0, to: STDOUT_FILENO) }
    }

    /// Writes lines at once.
    static func print(_ text: String) throws {
        try Array("\(text)\n".utf8).withUnsafeBytes { try write($0, to: STDOUT_FILENO) }
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``ClosedPipe``, or ``Failure`` with the system's reason.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, name: String = "the output") throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw ClosedPipe()
            } else if errno == EAGAIN {
                // Another program has made the terminal or the pipe non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw Failure("Cannot write \(name): \(Errno.text).")
            }
        }
    }
}

/// Messages on standard error.
enum Message {
    /// Prints one line. Escapes control characters, which file names may contain.
    static func print(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(TextWidth.printable(text))\n".utf8))
    }
}
