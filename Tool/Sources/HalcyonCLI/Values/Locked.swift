internal import Foundation

/// A value that is accessible only while its lock is held.
final class Locked<Value>: @unchecked Sendable {
    // Sendable because `value` is accessed only under `lock`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    /// Not reentrant: `body` must not take the same lock.
    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
