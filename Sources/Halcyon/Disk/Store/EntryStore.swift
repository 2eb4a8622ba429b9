internal import Foundation
internal import HalcyonSQLite

/// The heart of the disk storage: one folder's blobs and its index, and the order in which the two change.
///
/// The rule behind every order of steps here: the old bytes exist until the row is committed, and the row is gone before
/// its blob is. So whatever moment a process ends at, each name has its old value or its new one. The steps themselves
/// are in the files named after their verbs, and in the types of `Upkeep`. Safe from any thread.
package final class EntryStore: FolderWork {
    package let folder: CacheFolder
    let housekeeping = Housekeeping()
    let recorder: AccessRecorder
    let settler: Settler
    let adopter: Adopter
    let unlinker: Unlinker
    let remover: Remover
    let evictor: Evictor
    let repairer: Repairer
    let storeQueue = StoreQueue()
    let acceptedWork = AcceptedWork()
    let observers = Observers()
    private let stamps = Locked(StampSource())
    private let previousIndex: PreviousIndex

    package init(directory: String, environment: StorageEnvironment) {
        let blobs = BlobStore(directory: directory, fileSystem: environment.fileSystem)
        let previousIndex = PreviousIndex(
            files: IndexFiles(database: blobs.indexPath, fileSystem: environment.fileSystem), vfs: environment.vfs)
        let condition = FolderCondition()
        let index = EntryIndex(
            path: blobs.indexPath, environment: environment,
            prepareFolder: { try blobs.prepare() },
            checkpointIsDue: { [housekeeping] in housekeeping.request(.checkpoint) },
            didOpen: { [housekeeping] state in
                // Another one may have been set aside since.
                previousIndex.close()
                condition.update(from: state)
                housekeeping.request(.sweep)
            },
            didChange: { condition.update(from: $0) },
            didRepair: { [observers] in observers.tellLater(.init(.repair)) },
            didWait: { [observers] in observers.tellLater(.init(.wait, seconds: Double($0) / 1000)) })
        folder = CacheFolder(blobs: blobs, index: index, environment: environment, condition: condition)
        self.previousIndex = previousIndex
        recorder = AccessRecorder(folder, housekeeping: housekeeping, observers: observers)
        settler = Settler(folder, housekeeping: housekeeping)
        adopter = Adopter(folder, previousIndex: previousIndex)
        unlinker = Unlinker(blobs: blobs, housekeeping: housekeeping, tuning: environment.tuning)
        remover = Remover(folder: folder, settler: settler, recorder: recorder, unlinker: unlinker)
        repairer = Repairer(folder: folder, settler: settler)
        evictor = Evictor(folder: folder, adopter: adopter, recorder: recorder, remover: remover, repairer: repairer)
    }

    // No housekeeping can be under way: it would hold a reference.
    deinit {
        adopter.listeners.finish()
        closeNow()
    }

    var sweeper: Sweeper {
        Sweeper(folder: folder, adopter: adopter, settler: settler, repairer: repairer)
    }

    private var checker: Checker {
        Checker(folder: folder, recorder: recorder, settler: settler, unlinker: unlinker, repairer: repairer)
    }

    /// The time of an access.
    func stamp(at now: Timestamp) -> Timestamp { stamps.withLock { $0.next(at: now) } }

    /// Makes the folders and opens the index.
    package func open() throws { try index.open() }

    /// Writes pending notes, unlinks what waits for it, and closes the index. A later use opens it again.
    ///
    /// A sweep that is under way stops at its next batch; the next opening goes on with it.
    package func close() { afterHousekeeping { closeNow() } }

    /// Whatever looks whether the index is open, and would then open it again, has ended or comes later.
    private func afterHousekeeping(_ body: () -> Void) {
        folder.isClosing.withLock { $0 = true }
        housekeeping.whileIdle {
            folder.isClosing.withLock { $0 = false }
            body()
        }
    }

    /// As ``close()``, and stays closed until ``resume()``: loads are misses, stores throw.
    package func suspend() {
        index.stopWaiting()
        afterHousekeeping {
            recorder.flushAccessLog()
            previousIndex.close()
            index.suspend()
        }
        // That takes no lock, and nobody has to wait for it.
        housekeeping.request(.unlink)
    }

    /// As ``suspend()``, within a second, whatever is under way: that fails. What reads have noted stays in memory.
    ///
    /// For a process that the system is about to stop: a file lock in a shared folder must not outlive its time.
    package func suspendAtOnce() {
        let deadline = MonotonicTime.now.adding(milliseconds: 1000)
        index.suspend(before: deadline)
        previousIndex.close(before: deadline)
    }

    /// Refuses everything from now on, and interrupts what is under way. Waits for nothing: ``suspendAtOnce()`` closes what is open.
    package func refuse() { index.refuse() }

    /// The next use opens the index, and what opening is followed by makes up for what could not be done meanwhile.
    package func resume() { index.resume() }

    private func closeNow() {
        LockPatience.briefly {
            recorder.flushAccessLog()
            unlinker.drain()
            previousIndex.close()
            index.close()
        }
    }

    /// Runs one piece of housekeeping, on its queue.
    func perform(_ task: Housekeeping.Task) {
        // What was requested before a close must not open the index again.
        guard task == .unlink || index.isOpen else {
            // Nobody adopts anything now: there is nothing to wait for.
            if task == .sweep || task == .sweepLater { adopter.listeners.finish() }
            if task == .settle { settler.forgetPending() }
            return
        }
        // Nobody waits for what can be done later, and nobody who closes the index waits for it.
        LockPatience.briefly { performNow(task) }
    }

    private func performNow(_ task: Housekeeping.Task) {
        switch task {
        case .checkpoint, .checkpointLater:
            // Stores that have ended meanwhile would leave the log as long as it was.
            if index.checkpoint() { housekeeping.request(.checkpointLater, afterMilliseconds: 1_000) }
        case .flush, .flushLater: if !recorder.flushAccessLogInTurns() { recorder.requestFlush() }
        case .unlink: unlinker.drainInTurns()
        case .settle:
            settler.settlePending()
            adoptEarlyReads()
        case .sweep, .sweepLater:
            // What has been done is found done.
            if !sweeper.sweep() { housekeeping.request(.sweepLater, afterMilliseconds: 1_000) }
        }
    }
}

extension EntryStore {
    /// Waits for housekeeping that was requested before and is due.
    package func housekeepingWait() { housekeeping.wait() }

    /// Writes what was noted and counted, as housekeeping does ten seconds later.
    package func flushAccessLogNow() { recorder.flushAccessLog() }

    /// Compares rows with files in both directions. As ``Checker/check(repair:progress:)``.
    package func check(repair: Bool = false, progress: (Int) throws -> Void = { _ in }) throws -> CheckReport {
        try checker.check(repair: repair, progress: progress)
    }

    /// Removes what is there now, files without a row included. What is stored meanwhile stays.
    package func removeAll(isBlobName: (String) -> Bool) throws {
        try Clearing(of: self).remove(isBlobName: isBlobName)
    }

    /// As ``Adopter/finish()``, off everybody's path; then calls `body`. What cannot be adopted now is what that will meet.
    func onceAdopted(_ body: @escaping @Sendable () -> Void) {
        housekeeping.sweepQueue.async { [self] in
            try? LockPatience.briefly { try adopter.finish() }
            body()
        }
    }
}
