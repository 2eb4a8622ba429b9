internal import Foundation
internal import HalcyonSQLite

extension EntryIndex {
    /// Whether the index may be open.
    enum Service {
        case running
        /// Calls still run, but do not wait for locks of other connections.
        case suspending
        /// ``EntryIndex/suspend()`` was called.
        case suspended
        /// The system's background time has expired. This state ends with the next activity that the system allows.
        case expired
    }

    var isInService: Bool { service.withLock { $0 == .running || $0 == .suspending } }

    /// Whether a suspension has become obsolete: the caller has resumed since. Asked under the lock that ``resume()`` takes, so that
    /// no suspension begins after a later resume.
    package typealias Obsolescence = () -> Bool

    /// Ends all waiting for locks of other connections, until ``resume()``. Call it before a suspension.
    func stopWaiting(unless isObsolete: Obsolescence = { false }) {
        service.withLock { if $0 == .running, !isObsolete() { $0 = .suspending } }
    }

    /// - Returns: false if the suspension is obsolete.
    @discardableResult
    private func refuseCalls(unless isObsolete: Obsolescence) -> Bool {
        service.withLock { service in
            guard !isObsolete() else { return false }
            service = .suspended
            return true
        }
    }

    /// Like ``close()``, and refuses to open until ``resume()``. The process holds and takes no lock in between.
    ///
    /// Waits for the current transaction to finish. Long reads end with ``IndexSuspended``.
    package func suspend(unless isObsolete: Obsolescence = { false }) {
        stopWaiting(unless: isObsolete)
        let timeout = environment.tuning.writerTimeout
        do {
            try finishAndClose { refuseCalls(unless: isObsolete) }
        } catch {
            suspend(before: MonotonicTime.now.adding(milliseconds: timeout), unless: isObsolete)
        }
        endLongReads(before: MonotonicTime.now.adding(milliseconds: timeout))
    }

    /// Like ``suspend()``, for a process that the system is about to suspend. Interrupts running calls and does not wait beyond
    /// the deadline. Unfinished transactions are rolled back. A call that still uses a connection at the deadline closes it
    /// when it ends.
    func suspend(before deadline: MonotonicTime, unless isObsolete: Obsolescence) {
        if refuseCalls(unless: isObsolete) { closeConnections(before: deadline) }
    }

    /// Refuses all calls from now on, and interrupts those that are running. Closes nothing, because that blocks the thread.
    func refuse(unless isObsolete: Obsolescence = { false }) {
        guard refuseCalls(unless: isObsolete) else { return }
        knownRows.forgetAll()
        connections.interrupt()
    }

    package func resume() {
        service.withLock { service in
            resumptions.withLock { $0 += 1 }
            service = .running
        }
    }

    private func closeConnections(before deadline: MonotonicTime) {
        // Before the wait for the writer, and again because the writer may have committed rows in the meantime.
        knownRows.forgetAll()
        defer { knownRows.forgetAll() }
        repeat {
            // A call that was between two statements may have begun another one.
            connections.interrupt()
            let closed: Void? = writer.withLock(within: 0.01) { writer in
                writer?.connection.keepsLogWhenClosed()
                writer = nil
                presence.withLock { $0 = nil }
            }
            if closed != nil { break }
        } while MonotonicTime.now < deadline && !isInService
        readers.close(before: deadline)
        checkpointer.withLock(within: deadline.secondsLeft) { $0 = nil }
        previousIndex.close(before: deadline)
        endLongReads(before: deadline)
    }

    private func endLongReads(before deadline: MonotonicTime) {
        while longReads.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
            guard MonotonicTime.now < deadline, !isInService else { return }
            connections.interrupt()
        }
    }

    /// A call that is running when the time expires closes the connections itself when it ends.
    func closeUnlessInService(_ writer: inout Writer?) {
        if !isInService { closeConnections(&writer) }
    }

    /// Runs `body` while the system does not suspend the process. It would kill a suspended process that holds a lock in an app
    /// group's directory.
    func whileNotSuspended<Result>(_ body: () throws -> Result) throws -> Result {
        guard let activity else { return try body() }
        let isGranted = activity.begin { [weak self] in
            self?.expire()
        } didBegin: {
            service.withLock { if $0 == .expired { $0 = .running } }
        }
        guard isGranted else {
            expire()
            throw IndexSuspended()
        }
        defer { activity.end() }
        return try body()
    }

    /// Runs `body` under the writer's lock, inside ``whileNotSuspended(_:)``. All transactions that write do, except at exit.
    func withWriter<Result>(_ body: (inout Writer?) throws -> Result) throws -> Result {
        try whileNotSuspended {
            try withWriterLock { writer in
                defer { closeUnlessInService(&writer) }
                return try body(&writer)
            }
        }
    }

    /// Runs `body` under the writer's lock. Its holder may be waiting for another process's lock, up to a deadline. A brief
    /// call does not wait for that, and waits for a slow disk only until ``Tuning/openingTimeout``.
    private func withWriterLock<Result>(_ body: (inout Writer?) throws -> Result) throws -> Result {
        guard LockTimeout.isBrief else { return try writer.withLock(body) }
        var result = try writer.withLock(within: patience.briefSeconds, body)
        while result == nil, patience.shouldKeepWaitingForThread() {
            result = try writer.withLock(within: 0.02, body)
        }
        guard let result else {
            throw SQLiteError(code: .busy, message: "another thread of this process holds the writer's lock")
        }
        return result
    }

    private func expire() {
        service.withLock { if $0 != .suspended { $0 = .expired } }
        closeConnections(before: MonotonicTime.now.adding(milliseconds: 1000))
    }

    /// Runs `body`, and throws ``IndexSuspended`` if a suspension made it fail.
    func namingSuspension<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupted || error.isBusy {
            let isRunning = service.withLock { $0 == .running }
            throw isRunning && error.code != .interrupted ? error : IndexSuspended()
        }
    }
}
