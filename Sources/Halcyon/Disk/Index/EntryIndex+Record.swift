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
            if state.adoption == .rebuilding { state.distrusted = distrustedOfPreviousIndex(in: boot) }
        } else if hasStableInodes, noteCopy(in: &state, inode: file.inode, through: connection), state.isSearching {
            // Copied files have new change times, which may be later than the copied index's.
            state.adoptsUntil = max(state.adoptsUntil, file.changed, Timestamp(Date()))
        }
        if isNew || !hasStableInodes { state.indexInode = file.inode }
        if let last = state.boot {
            guard !BootIdentifier.isSame(last, boot) else { return state }
            state.noteReboot(writeBackTime: environment.tuning.writeBackTime)
        } else {
            state.boots = 1
        }
        state.boot = boot
        return state
    }

    /// The stores that a power cut may have lost if it damaged the index, too; nil also if that index cannot be read at the moment.
    private func distrustedOfPreviousIndex(in boot: String) -> ClosedRange<Timestamp>? {
        guard var former = previousIndex.recordedState(), let last = former.boot else { return nil }
        if !BootIdentifier.isSame(last, boot) { former.noteReboot(writeBackTime: environment.tuning.writeBackTime) }
        // The volume dates a file a moment after the store has dated its row.
        return former.distrusted.map { $0.lowerBound...$0.upperBound.advanced(by: StampSource.tolerance) }
    }

    /// Notes how to recognize the blobs if the directory is a copy. Compares a few of them: they tell whether the copy kept the dates,
    /// and so the tags. On a new volume, the index of a copy may have the inode number of the original.
    ///
    /// - Returns: whether the directory was found to be a copy.
    private func noteCopy(in state: inout IndexState, inode: UInt64, through connection: Connection) -> Bool {
        guard !state.isRelearning else {
            defer { state.indexInode = inode }
            return state.indexInode != inode
        }
        guard !state.ignoresInodes else { return false }
        // If they cannot be examined, lookups find out.
        let entries = (try? IndexSession(connection: connection).page(after: .min, limit: 8)) ?? []
        let files = entries.filter { $0.inode != nil }.compactMap { entry in
            (try? blobs.status(of: entry.name)).flatMap { $0.size == entry.size ? (entry, file: $0) : nil }
        }
        let others = files.filter { $0.inode != $1.inode }
        let isDated = others.count { BlobTag(token: $0.token).marks($1) } * 2 > others.count
        // Without their dates, they may as well have been replaced.
        guard isDated || state.indexInode != inode else { return false }
        state.isRelearning = !isDated && (!others.isEmpty || files.isEmpty)
        state.indexInode = state.isRelearning ? inode : IndexState.inodeWhileLearning
        return true
    }
}
