internal import Foundation
internal import HalcyonSQLite

/// The boot and inode number of the last opening, which the index records.
extension EntryIndex {
    /// Compares the boot and the file's own inode with the recorded ones.
    ///
    /// An opening does not wait for the write lock, so the first transaction records a new boot or inode. Only in a new index
    /// does the opening itself record them.
    ///
    /// - Returns: the state to record, and whether the index already contains it.
    func opening(through connection: Connection) throws -> (state: IndexState, isRecorded: Bool) {
        let found = try IndexSession(connection: connection).state()
        let state = try updated(found, through: connection)
        guard state != found, found.indexInode == nil else { return (state, state == found) }
        return (try connection.transaction { try noteOpening(through: connection) }, true)
    }

    /// Records the opening if it is not recorded yet. Call it first in the first transaction.
    func recordOpening(of writer: Writer) throws {
        if !writer.isRecorded { _ = try noteOpening(through: writer.connection) }
    }

    private func noteOpening(through connection: Connection) throws -> IndexState {
        let session = IndexSession(connection: connection)
        // Another process may have recorded it in the meantime.
        let found = try session.state()
        let state = try updated(found, through: connection)
        if state != found { try session.setState(state) }
        // A new index goes through all migrations, and an empty one takes no time to upgrade.
        if found.indexInode == nil { try session.finishUpgradeIfEmpty() }
        return state
    }

    /// Returns the state with the current boot and inode.
    private func updated(_ found: IndexState, through connection: Connection) throws -> IndexState {
        let file = try environment.fileSystem.status(at: files.database)
        let boot = environment.boot()
        var state = found
        let isNew = state.indexInode == nil
        if isNew {
            // By the volume's clock, because it is compared with times of files.
            state.adoptsUntil = file.changed
            state.adoption =
                try [files.damaged, files.newer].allSatisfy { try files.identity(of: $0) == nil }
                ? .pending : .rebuilding
        } else if hasStableInodes, noteCopy(in: &state, inode: file.inode, through: connection),
            state.isSearching(namesAreHashed: true)
        {
            // Copied files have new change times, which may be later than the copied index's.
            state.adoptsUntil = max(state.adoptsUntil, file.changed, Timestamp(Date()))
        }
        previousIndex.note(replacedAt: isNew ? environment.fileSystem.now : state.adoptsUntil)
        if isNew || !hasStableInodes { state.indexInode = file.inode }
        let isRebooted = state.boot.map { !BootIdentifier.isSame($0, boot) } ?? false
        guard isNew || isRebooted else { return state }
        if isRebooted { state.noteReboot(writeBackTime: environment.tuning.writeBackTime) } else { state.boots = 1 }
        if state.adoption != .pending { distrustPreviousIndex(in: &state, after: boot) }
        if state.adoption == .done { previousIndex.close() }
        state.boot = boot
        return state
    }

    /// Notes which stores a power cut may have lost that damaged the index, too, or came before it was rebuilt. Later commits may have
    /// been lost with it, so all files are distrusted that were written from its last minute until it was set aside.
    ///
    /// Does nothing if that index cannot be read at the moment. If its files with hashed names were taken over already, leaves out those
    /// with other names.
    private func distrustPreviousIndex(in state: inout IndexState, after boot: String) {
        guard let (recorded, setAside) = previousIndex.recordedState(), let last = recorded.boot,
            recorded.storedAt.milliseconds > 0,
            // Otherwise its files have been on disk for long.
            state.adoption == .rebuilding || environment.fileSystem.now - setAside < 86_400_000
        else { return }
        var (former, end) = (recorded, recorded.distrusted?.upperBound)
        if !BootIdentifier.isSame(last, boot) {
            former.noteReboot(writeBackTime: environment.tuning.writeBackTime)
            // The volume dates a file a moment after the store has dated its row.
            end = setAside.advanced(by: StampSource.tolerance)
        }
        guard let end else { return }
        let first = former.distrusted?.lowerBound ?? former.storedAt
        guard state.adoption == .rebuilding else { return state.leaveOut(writtenFrom: first) }
        let begin = min(first, state.distrusted?.lowerBound ?? .latest)
        state.distrusted = begin...max(begin, end, state.distrusted?.upperBound ?? end)
    }

    /// Notes how to recognize the blobs if the directory is a copy. Compares a few of them: they tell whether the copy kept the dates,
    /// and so the tags. On a new volume, the index of a copy may have the inode number of the original.
    ///
    /// - Returns: whether the directory was found to be a copy.
    private func noteCopy(in state: inout IndexState, inode: UInt64, through connection: Connection) -> Bool {
        guard state.indexInode != inode || !state.isRelearning else { return false }
        let isAtHome = state.indexInode == inode
        var files = sample(8, isAtHome: isAtHome, through: connection)
        if files.isEmpty { files = sample(256, isAtHome: isAtHome, through: connection) }
        let others = files.filter { $0.entry.inode != $0.file.inode }
        let unmarked = others.filter { !BlobTag(token: $0.entry.token).marks($0.file, isCopied: true) }
        // Without their dates, they may as well have been replaced, and a single one may have its date by chance.
        guard others.count - unmarked.count > max(1, unmarked.count) || !isAtHome else { return false }
        // Files that are dated after they were copied are other versions: some tools do not copy a file over one of the same length and
        // date.
        let undated = unmarked.count { $0.file.modified <= $0.file.changed }
        let isUndated = files.isEmpty || (undated * 2 >= others.count && others.count * 2 > files.count)
        // A copy of a copy whose numbers were never recorded.
        state.relearning = isUndated || state.relearning == .byLength ? .byLength : .byTag
        state.indexInode = inode
        return true
    }

    /// Some entries and the files of their length under their names.
    ///
    /// - Parameter isAtHome: leaves out an entry for which an error hides whether its blob is elsewhere.
    private func sample(_ count: Int, isAtHome: Bool, through connection: Connection)
        -> [(entry: Entry, file: FileStatus)]
    {
        // If they cannot be examined, lookups find out.
        let entries = (try? IndexSession(connection: connection).page(after: .min, limit: count)) ?? []
        return entries.compactMap { entry in
            guard let file = try? blobs.status(of: entry.name), file.size == entry.size,
                file.inode == entry.inode || !((try? isDetached(entry)) ?? isAtHome)
            else { return nil }
            return (entry, file)
        }
    }

    /// Whether a crash or a refused COMMIT has left a row's blob elsewhere. The file under its name then has its tag one time in a
    /// thousand.
    private func isDetached(_ entry: Entry) throws -> Bool {
        try DetachedBlob.Place.allCases.contains { place in
            try blobs.detached(of: entry.id, in: place).contains { blob in
                try blobs.status(of: blob).map { entry.matches($0, ignoringInode: true) } == true
            }
        }
    }
}
