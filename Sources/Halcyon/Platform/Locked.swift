internal import Foundation
internal import HalcyonSQLite

/// A value that is accessible only while its lock is held.
///
/// `Synchronization.Mutex` would do, but needs iOS 18.
///
/// Store a function in a struct: as the value itself, ``withLock(_:)`` wraps it in two more closures at each access, until a call
/// overflows the stack.
package final class Locked<Value>: @unchecked Sendable {
    // Sendable because what `value` points to is accessed only under `lock`.
    private let lock = NSLock()
    /// Not a variable, because Swift would check each access for overlaps, which the lock already excludes.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Not reentrant: `body` must not take the same lock.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value.pointee)
    }

    /// Returns the old value. The caller releases it after the lock, because its deinit may call back.
    package func replace(with new: sending Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        let old = value.move()
        value.initialize(to: new)
        return old
    }

    /// Returns nil also if another thread holds the lock.
    package func withLockIfFree<Result>(_ body: (inout Value) throws -> Result?) rethrows -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(&value.pointee)
    }

    /// Returns nil if the lock is not available within the timeout.
    package func withLock<Result>(
        within seconds: Double, _ body: (inout Value) throws -> Result
    ) rethrows -> Result? {
        guard lock.lock(within: seconds) else { return nil }
        defer { lock.unlock() }
        return try body(&value.pointee)
    }
}

extension NSLock {
    /// Returns false if the lock is not available within the timeout.
    ///
    /// Polls, because `lock(before:)` waits for a date: if the clock is set back, it waits for as much longer.
    func lock(within seconds: Double) -> Bool {
        let end = MonotonicTime.now.adding(milliseconds: Int((seconds * 1_000).rounded(.up)))
        while !self.try() {
            guard MonotonicTime.now < end else { return false }
            usleep(200)
        }
        return true
    }
}
