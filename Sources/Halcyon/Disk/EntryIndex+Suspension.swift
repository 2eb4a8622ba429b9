internal import Foundation
internal import HalcyonSQLite

/// The index is not to be opened now.
struct IndexSuspended: Error {}

extension EntryIndex {
    /// As ``close()``, and refuses to be opened until ``resume()``: no lock is held or taken meanwhile.
    ///
    /// Finishes the transaction under way. Long reads end with ``IndexSuspended``.
    package func suspend() {
        writer.withLock { writer in
            isSuspended.withLock { $0 = true }
            if let open = writer { noteSettled(open.connection) }
            closeConnections(&writer)
        }
        endLongReads(before: MonotonicTime.now.adding(milliseconds: environment.tuning.writerTimeout))
    }

    /// As ``suspend()``, for a process that the system stops in a moment: ends what is under way, and waits for nothing beyond a deadline.
    /// What was being written is rolled back.
    ///
    /// - Returns: false if something still held a connection at the deadline.
    func suspend(before deadline: MonotonicTime) -> Bool {
        isSuspended.withLock { $0 = true }
        connections.interrupt()
        let closed: Bool? = writer.withLock(within: deadline.secondsLeft) { writer in
            closeConnections(&writer, before: deadline)
        }
        return endLongReads(before: deadline) && closed == true
    }

    /// Runs `body` in a span in which the system does not suspend the process, where it would end one that holds a lock then.
    func whileNotSuspended<Result>(_ body: () throws -> Result) throws -> Result {
        guard let perform = environment.expiringActivity, FileFlags.isInAppGroup(files.database) else {
            return try body()
        }
        let activity = ExpiringActivity.begin(perform) { [weak self] in self?.expire() }
        guard let activity else { throw IndexSuspended() }
        defer { activity.end() }
        if hasExpired.withLock({ $0 }) { resume() }
        return try body()
    }

    private func expire() {
        hasExpired.withLock { $0 = true }
        _ = suspend(before: MonotonicTime.now.adding(milliseconds: 1000))
    }

    package func resume() {
        hasExpired.withLock { $0 = false }
        isSuspended.withLock { $0 = false }
    }

    @discardableResult
    private func endLongReads(before deadline: MonotonicTime) -> Bool {
        repeat {
            // One that was between two statements begins another.
            connections.interrupt()
            if longReads.wait(timeout: .now() + .milliseconds(10)) == .success { return true }
        } while MonotonicTime.now < deadline
        return false
    }

    private func closeConnections(_ writer: inout Writer?, before deadline: MonotonicTime) -> Bool {
        writer = nil
        presence.withLock { $0 = nil }
        let areReadersClosed = readers.close(before: deadline)
        let isCheckpointerClosed: Void? = checkpointer.withLock(within: deadline.secondsLeft) { $0 = nil }
        return areReadersClosed && isCheckpointerClosed != nil
    }

    /// What a suspension interrupted failed because of it.
    func namingSuspension<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupted || error.isBusy {
            throw isSuspended.withLock { $0 } ? IndexSuspended() : error
        }
    }
}

/// The connections to an index that are open, so that what they do can be ended from another thread.
final class OpenConnections: Sendable {
    private struct Weak: @unchecked Sendable {
        // Sendable because nothing but `interrupt()` is called through it.
        weak var connection: Connection?
    }

    private let all: Locked<[Weak]> = Locked([])

    func add(_ connection: Connection) {
        let weak = Weak(connection: connection)
        all.withLock { all in
            all.removeAll { $0.connection == nil }
            all.append(weak)
        }
    }

    func interrupt() {
        for one in all.withLock({ $0 }) { one.connection?.interrupt() }
    }
}
