internal import Foundation
internal import HalcyonSQLite

extension EntryIndex {
    /// Whether the index may be open.
    enum Service {
        case running
        /// What is called may be done, if it waits for nobody else's lock.
        case suspending
        /// ``EntryIndex/suspend()`` was called.
        case suspended
        /// The system's time has run out. It ends with the next span that the system gives.
        case expired
    }

    var isInService: Bool { service.withLock { $0 == .running || $0 == .suspending } }

    /// Ends the waiting for locks that others hold, now and until ``resume()``: a suspension is about to come.
    func stopWaiting() { service.withLock { if $0 == .running { $0 = .suspending } } }

    /// As ``close()``, and refuses to be opened until ``resume()``: no lock is held or taken meanwhile.
    ///
    /// Finishes the transaction under way. Long reads end with ``IndexSuspended``.
    package func suspend() {
        stopWaiting()
        writer.withLock { writer in
            if let open = writer { noteSettled(open) }
            service.withLock { $0 = .suspended }
            closeConnections(&writer)
        }
        endLongReads(before: MonotonicTime.now.adding(milliseconds: environment.tuning.writerTimeout))
    }

    /// As ``suspend()``, for a process that the system stops in a moment: ends what is under way, and waits for nothing beyond a deadline.
    /// What was being written is rolled back. What still holds a connection then closes it itself.
    func suspend(before deadline: MonotonicTime) {
        service.withLock { $0 = .suspended }
        knownRows.forgetAll()
        closeConnections(before: deadline)
    }

    /// Refuses everything from now on, and interrupts what is under way.
    func refuse() {
        service.withLock { $0 = .suspended }
        knownRows.forgetAll()
        connections.interrupt()
    }

    package func resume() { service.withLock { $0 = .running } }

    private func closeConnections(before deadline: MonotonicTime) {
        repeat {
            // One that was between two statements begins another.
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
        endLongReads(before: deadline)
    }

    private func endLongReads(before deadline: MonotonicTime) {
        while longReads.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
            guard MonotonicTime.now < deadline, !isInService else { return }
            connections.interrupt()
        }
    }

    /// What was under way at the end of the time lets go of the index itself.
    func closeUnlessInService(_ writer: inout Writer?) {
        if !isInService { closeConnections(&writer) }
    }

    /// Runs `body` in a span in which the system does not suspend the process, where it would end one that holds a lock then.
    func whileNotSuspended<Result>(_ body: () throws -> Result) throws -> Result {
        guard let activity else { return try body() }
        guard activity.begin(onExpiration: { [weak self] in self?.expire() }) else {
            expire()
            throw IndexSuspended()
        }
        defer { activity.end() }
        service.withLock { if $0 == .expired { $0 = .running } }
        return try body()
    }

    /// Runs `body` under the writer's lock, in such a span.
    func withWriter<Result>(_ body: (inout Writer?) throws -> Result) throws -> Result {
        try whileNotSuspended {
            try withWriterLock { writer in
                defer { closeUnlessInService(&writer) }
                return try body(&writer)
            }
        }
    }

    /// Who has it may be waiting for another process's lock, and gives up in time. A brief call does not wait for that.
    func withWriterLock<Result>(_ body: (inout Writer?) throws -> Result) throws -> Result {
        guard LockPatience.isBrief else { return try writer.withLock(body) }
        guard let result = try writer.withLock(within: patience.briefSeconds, body) else {
            throw SQLiteError(code: .busy, message: "another thread of this process holds the index")
        }
        return result
    }

    private func expire() {
        service.withLock { if $0 == .running { $0 = .expired } }
        knownRows.forgetAll()
        closeConnections(before: MonotonicTime.now.adding(milliseconds: 1000))
    }

    /// What a suspension interrupted failed because of it.
    func namingSuspension<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupted || error.isBusy {
            let isRunning = service.withLock { $0 == .running }
            throw isRunning && error.code != .interrupted ? error : IndexSuspended()
        }
    }
}
