internal import Foundation

/// A value that can only be touched while its lock is held.
final class Locked<Value>: @unchecked Sendable {
    // Sendable because `value` is reached through `lock` alone.
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    /// Not reentrant: `body` must not come back to the same lock.
    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
