internal import HalcyonSQLite

/// The core of the disk storage: the blobs and the index of one directory, and the order in which they change.
///
/// One rule determines every order of steps: the old bytes exist until the row is committed, and a row is deleted before its blob.
/// So at whatever moment a process ends, each name has its old value or its new one. The steps are in the files named after their
/// verbs, and in the types of `Upkeep`. Safe from any thread.
package final class EntryStore: FolderWork {
    package let folder: CacheFolder
    // Stored here too, because each hit uses them.
    let housekeeping: Housekeeping
    let observers: Observers
    let recorder: AccessRecorder
    let settler: Settler
    let adopter: Adopter
    let unlinker: Unlinker
    let remover: Remover
    let evictor: Evictor
    let storeQueue: StoreQueue
    let acceptedWork = AcceptedWork()
    let fetches = RunningFetches()
    private let stamps = Locked(StampSource())

    package init(directory: String, environment: StorageEnvironment) {
        folder = CacheFolder(directory: directory, environment: environment)
        (housekeeping, observers) = (folder.housekeeping, folder.observers)
        recorder = AccessRecorder(folder)
        settler = Settler(folder)
        adopter = Adopter(folder)
        storeQueue = StoreQueue(environment.tuning)
        unlinker = Unlinker(blobs: folder.blobs, housekeeping: housekeeping, tuning: environment.tuning)
        remover = Remover(folder: folder, settler: settler, recorder: recorder, unlinker: unlinker)
        evictor = Evictor(folder: folder, adopter: adopter, recorder: recorder, remover: remover)
    }

    // No housekeeping can be under way: it would hold a reference.
    deinit {
        adopter.listeners.finish()
        closeNow()
    }

    var sweeper: Sweeper {
        Sweeper(folder: folder, adopter: adopter, settler: settler)
    }

    /// A stamp for an access.
    func stamp(at now: Timestamp) -> Timestamp { stamps.withLock { $0.next(at: now) } }

    /// Creates the directories and opens the index.
    package func open() throws { try index.open() }

    /// Writes pending notes, empties the backlog of unlinks, and closes the index. A later use opens it again.
    ///
    /// A sweep under way stops at its next batch. The next opening continues it.
    package func close() { afterHousekeeping { closeNow() } }

    /// Runs `body` while no housekeeping runs but unlinks: a task that has found the index open could open it again after the close.
    private func afterHousekeeping(_ body: () -> Void) {
        folder.closingCount.withLock { $0 += 1 }
        housekeeping.whileIdle {
            folder.closingCount.withLock { $0 -= 1 }
            body()
        }
    }

    /// Like ``close()``, but the index stays closed until ``EntryIndex/resume()``: loads are misses, stores throw. The sweep
    /// after the next opening makes up for the work missed meanwhile.
    package func suspend(unless isObsolete: EntryIndex.Obsolescence = { false }) {
        index.stopWaiting(unless: isObsolete)
        afterHousekeeping {
            flushReads()
            index.suspend(unless: isObsolete)
        }
        // Unlinking takes no lock, so the suspension does not wait for it.
        housekeeping.request(.unlink)
    }

    /// Like ``suspend()``, but within a second: calls under way fail. Notes of reads stay in memory.
    ///
    /// For a process that the system is about to suspend: it has to release its file locks in a shared directory in time.
    package func suspendAtOnce(unless isObsolete: EntryIndex.Obsolescence = { false }) {
        index.suspend(before: MonotonicTime.now.adding(milliseconds: 1000), unless: isObsolete)
    }

    private func closeNow() {
        LockTimeout.briefly {
            flushReads()
            unlinker.finish()
            index.close()
        }
    }

    /// Writes notes and counts, if the lock is free soon, also of reads of files that were not entries yet.
    ///
    /// - Returns: whether everything was written.
    @discardableResult
    private func flushReads() -> Bool {
        // A close does not bring back a directory that was deleted.
        EntryIndex.opening.withValue(.existing) {
            // Those that it cannot adopt stay for the next time.
            let isAdopted = LockTimeout.briefly { (try? adoptEarlyReads()) != nil }
            return recorder.flushAccessLog() && isAdopted
        }
    }

    /// Runs one task of housekeeping.
    func perform(_ task: Housekeeping.Task) {
        // A task that was requested before a close must not open the index again.
        guard task == .unlink || task == .unlinkLater || index.isOpen else {
            // No adoption will run now, so listeners have nothing to wait for.
            if task == .sweep || task == .sweepLater { adopter.listeners.finish() }
            return
        }
        // Housekeeping can run later, so it waits only briefly for the lock, and a close does not wait long for it.
        EntryIndex.opening.withValue(.existing) { LockTimeout.briefly { performNow(task) } }
    }

    private func performNow(_ task: Housekeeping.Task) {
        switch task {
        case .checkpoint, .checkpointLater:
            // If stores have ended meanwhile, no commit requests a checkpoint of the rest.
            if index.checkpoint() { housekeeping.request(.checkpointLater, afterMilliseconds: 1_000) }
        case .flush, .flushLater:
            if !flushReads() {
                recorder.requestFlush()
                // It was urgent: see `expiresBeforeNextFlush`.
                if task == .flush { housekeeping.request(.flush, afterMilliseconds: 1_000) }
            }
            // Instead of a timer: an unused cache does not change.
            if sweeper.isDue { housekeeping.request(.sweep) }
        case .unlink, .unlinkLater: unlinker.finish()
        case .settle:
            settler.settlePending()
            try? adoptEarlyReads()
        case .sweep, .sweepLater:
            // Steps that are done already return at once.
            if !sweeper.sweep() { housekeeping.request(.sweepLater, afterMilliseconds: 1_000) }
        }
    }
}

extension EntryStore {
    /// Unlinks replaced blobs, then waits for the housekeeping that was requested before and is due.
    package func housekeepingWait() {
        unlinker.finish()
        housekeeping.wait()
    }

    /// Writes notes and counts now, as housekeeping does after ten seconds.
    package func flushAccessLogNow() { recorder.flushAccessLog() }

    /// Compares rows with files in both directions. See ``checkOnce(repair:progress:)``. A repair builds a new index in place of
    /// one with integrity findings.
    package func check(repair: Bool = false, progress: (Int) throws -> Void = { _ in }) throws -> CheckReport {
        var (report, findings) = (CheckReport(), [String]())
        // Again if the index is replaced meanwhile: until all files are adopted, most have no row.
        for _ in 0..<3 {
            try index.openForChange()
            let generation = index.generation
            report = try checkOnce(repair: repair, progress: progress)
            if repair, !report.integrityFindings.isEmpty {
                findings = report.integrityFindings
                try index.setAsideIfDamaged()
                // At once: a new index takes over pins and tags only if the old one was used lately.
                try index.openForChange()
            }
            guard index.generation != generation else {
                if repair { try sweeper.relearnInodes() }
                break
            }
            try adopter.finish()
        }
        if !findings.isEmpty { report.integrityFindings = findings }
        return report
    }

    /// Finishes adoption in the background, and recovers what an earlier version has set aside, then calls `body`. If that fails,
    /// `body` meets the same error.
    ///
    /// - Parameter opens: whether it opens a closed index.
    func onceAdopted(opens: Bool, _ body: @escaping @Sendable () -> Void) {
        housekeeping.sweeps.async { [self] in
            func finish() {
                try? LockTimeout.briefly {
                    try adopter.finish()
                    try Reclaimer(folder: folder).finish()
                }
            }
            if opens { finish() } else { index.unlessClosed(finish) }
            body()
        }
    }
}
