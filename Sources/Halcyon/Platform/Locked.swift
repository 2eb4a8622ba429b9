internal import Foundation

/// A value that can only be touched while its lock is held.
///
/// `Synchronization.Mutex` would do, and needs iOS 18.
package final class Locked<Value>: @unchecked Sendable {
    // Sendable because `value` is reached through `lock` alone.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Not reentrant: `body` must not come back to the same lock.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Returns the old value, which the caller releases after the lock: a deinit may come back.
    package func replace(with new: sending Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        let old = value
        value = new
        return old
    }

    /// nil when somebody else has the lock.
    package func withLockIfFree<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(&value)
    }

    /// nil when the lock cannot be had within that time.
    package func withLock<Result>(
        within seconds: Double, _ body: (inout Value) throws -> Result
    ) rethrows -> Result? {
        guard lock.lock(before: Date(timeIntervalSinceNow: seconds)) else { return nil }
        defer { lock.unlock() }
        return try body(&value)
    }
}
