internal import Foundation
internal import HalcyonSQLite

/// The heart of the disk storage: one folder's blobs and its index, and the order in which the two change.
///
/// The rule behind every order of steps here: the old bytes exist until the row is committed, and the row is gone before
/// its blob is. So whatever moment a process ends at, each name has its old value or its new one. The steps themselves
/// are in the files named after their verbs. Safe from any thread.
package final class EntryStore: Sendable {
    package let blobs: BlobStore
    package let index: EntryIndex
    let environment: StorageEnvironment
    let log: Locked<AccessLog>
    let unlinker: Unlinker
    let storeQueue = StoreQueue()
    let housekeeping: Housekeeping
    private let isClosing = Locked(false)
    private let stamps = Locked(StampSource())
    /// One adoption at a time.
    let adoptionLock = NSLock()
    let adoptionListeners = AdoptionListeners()
    let acceptedWork = AcceptedWork()
    /// One flush at a time.
    let flushLock = NSLock()
    /// Reads of files that were no entries yet.
    let earlyReads: Locked<[BlobName: EarlyRead]> = Locked([:])
    /// Names a reader found no blob for.
    let pendingSettles: Locked<Set<BlobName>> = Locked([])
    let condition = FolderCondition()
    let previousIndex: PreviousIndex

    /// A read of a file that has no row to note it in.
    struct EarlyRead {
        let key: String
        let origin: KeyOrigin?
        let at: Timestamp
        let extending: ExpirationExtending
    }

    package init(directory: String, environment: StorageEnvironment) {
        self.environment = environment
        let blobs = BlobStore(directory: directory, fileSystem: environment.fileSystem)
        let previousIndex = PreviousIndex(
            files: IndexFiles(database: blobs.indexPath, fileSystem: environment.fileSystem), vfs: environment.vfs)
        let housekeeping = Housekeeping()
        let condition = condition
        self.blobs = blobs
        self.previousIndex = previousIndex
        self.housekeeping = housekeeping
        log = Locked(AccessLog(limit: environment.tuning.noteLimit))
        unlinker = Unlinker(blobs: blobs, housekeeping: housekeeping, tuning: environment.tuning)
        index = EntryIndex(
            path: blobs.indexPath, environment: environment,
            prepareFolder: { try blobs.prepare() },
            checkpointIsDue: { housekeeping.request(.checkpoint) },
            didOpen: { state in
                // Another one may have been set aside since.
                previousIndex.close()
                condition.update(from: state)
                housekeeping.request(.sweep)
            })
    }

    // No housekeeping can be under way: it would hold a reference.
    deinit {
        adoptionListeners.finish()
        closeNow()
    }

    var now: Timestamp { environment.now() }

    /// What the index may know of a key.
    func storable(_ key: String) -> String? { condition.settings.storesKeys ? key : nil }

    /// The time of an access.
    func stamp(at now: Timestamp) -> Timestamp { stamps.withLock { $0.next(at: now) } }

    /// The time of a store: not before that of any store before it, after every ``Moment`` that somebody has noted, of any
    /// process, and after what is not trusted. Under the write lock.
    ///
    /// A clock that has been put back further than that begins anew.
    func storeTime(in session: IndexSession) throws -> Timestamp {
        let (now, latest) = (now, try session.storedAt())
        // Twice as far as what is not trusted reaches back: nobody who does not know of it stores into it.
        let time = latest - now <= 2 * distrustSpan ? max(now, latest) : now
        guard let distrusted = condition.distrusted, distrusted.contains(time) else { return time }
        return distrusted.upperBound.advanced(by: 1)
    }

    /// How long before the latest store a power cut reaches.
    private var distrustSpan: Int64 { environment.tuning.writeBackTime + StampSource.tolerance }

    /// Makes the folders and opens the index.
    package func open() throws { try index.open() }

    /// Writes pending notes, unlinks what waits for it, and closes the index. A later use opens it again.
    ///
    /// A sweep that is under way stops at its next batch; the next opening goes on with it.
    package func close() { afterHousekeeping { closeNow() } }

    /// Whatever looks whether the index is open, and would then open it again, has ended or comes later.
    private func afterHousekeeping(_ body: () -> Void) {
        isClosing.withLock { $0 = true }
        housekeeping.whileIdle {
            isClosing.withLock { $0 = false }
            body()
        }
    }

    /// As ``close()``, and stays closed until ``resume()``: loads are misses, stores throw.
    package func suspend() {
        afterHousekeeping {
            flushAccessLog()
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

    /// The next use opens the index, and what opening is followed by makes up for what could not be done meanwhile.
    package func resume() { index.resume() }

    /// Ends a long walk when the store is being closed.
    func stopIfClosing() throws {
        if isClosing.withLock({ $0 }) { throw IndexSuspended() }
    }

    private func closeNow() {
        flushAccessLog()
        unlinker.drain()
        previousIndex.close()
        index.close()
    }

    /// Runs one piece of housekeeping, on its queue.
    func perform(_ task: Housekeeping.Task) {
        // What was requested before a close must not open the index again.
        guard task == .unlink || index.isOpen else {
            // Nobody adopts anything now: there is nothing to wait for.
            if task == .sweep { adoptionListeners.finish() }
            return
        }
        switch task {
        case .checkpoint, .checkpointLater:
            // Stores that have ended meanwhile would leave the log as long as it was.
            if index.checkpoint() { housekeeping.request(.checkpointLater, afterMilliseconds: 1_000) }
        case .flush, .flushLater: flushAccessLog()
        case .unlink: unlinker.drainInTurns()
        case .settle: settlePending()
        case .sweep: sweep()
        }
    }

    // MARK: Judging files

    /// Whether a file is the entry's blob.
    func isBlob(of entry: Entry, _ file: FileStatus) -> Bool {
        condition.isBlob(of: entry, file, hasStableInodes: index.hasStableInodes)
    }

    /// The inode number to note for a file; nil where the volume's numbers do not last.
    func lastingInode(of file: FileStatus) -> UInt64? { index.hasStableInodes ? file.inode : nil }
}

extension EntryStore {
    /// Waits for housekeeping that was requested before and is due.
    package func housekeepingWait() { housekeeping.wait() }

    /// Writes what was noted and counted, as housekeeping does ten seconds later.
    package func flushAccessLogNow() { flushAccessLog() }
}
