import Foundation
@_spi(HalcyonTool) import Halcyon

/// A clock that a test puts forward and back, for all processes that read its file.
final class SharedClock: Sendable {
    private let file: Int32

    /// - Parameter path: of its file, which is created if it is missing.
    init(path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Trouble("cannot open \(path): \(Trouble.reason)") }
    }

    deinit { close(file) }

    var now: Timestamp { Timestamp(Date()).advanced(by: offset) }

    /// Milliseconds by which it is ahead of the machine's clock.
    var offset: Int64 {
        get {
            var offset: Int64 = 0
            // An empty file means that the clock has not been changed yet.
            return pread(file, &offset, 8, 0) == 8 ? offset : 0
        }
        set {
            var offset = newValue
            pwrite(file, &offset, 8, 0)
        }
    }
}
