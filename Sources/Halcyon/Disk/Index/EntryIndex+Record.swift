internal import Foundation
internal import HalcyonSQLite

/// What the folder was when it was opened last.
extension EntryIndex {
    /// What an opening finds: the state as it is to be noted, and whether the index says so already.
    struct Opening {
        let state: IndexState
        let isRecorded: Bool
    }

    /// Compares the boot and the file's own inode with the recorded ones.
    ///
    /// Another boot or another inode is noted by the first transaction: an opening waits for no lock. A new index, which is being made now,
    /// says so from the beginning.
    func opening(through connection: Connection) throws -> Opening {
        let found = try IndexSession(connection: connection).state()
        let state = try current(found)
        guard state != found, found.indexInode == nil else { return Opening(state: state, isRecorded: state == found) }
        return Opening(state: try connection.transaction { try noteOpening(through: connection) }, isRecorded: true)
    }

    /// Notes an opening that has not been noted. In the first transaction, before anything else.
    func recordOpening(of writer: Writer) throws {
        if !writer.isRecorded { _ = try noteOpening(through: writer.connection) }
    }

    private func noteOpening(through connection: Connection) throws -> IndexState {
        let session = IndexSession(connection: connection)
        // Another process may have noted it meanwhile.
        let found = try session.state()
        let state = try current(found)
        if state != found { try session.setState(state) }
        // A new index is made as one of version 1, and has nothing in it that would take time.
        if found.indexInode == nil { try session.finishUpgradeIfEmpty() }
        return state
    }

    /// The state with the present boot and the present inode.
    private func current(_ found: IndexState) throws -> IndexState {
        let file = try environment.fileSystem.status(at: files.database)
        let boot = environment.boot()
        let isSameBoot = found.boot.map { BootIdentifier.isSame($0, boot) } ?? false
        guard !isSameBoot || found.indexInode != file.inode else { return found }
        return try updated(found, boot: boot, file: file)
    }

    func updated(_ state: IndexState, boot: String, file: FileStatus) throws -> IndexState {
        var state = state
        let isNew = state.indexInode == nil
        if isNew {
            // By the clock of the volume, which is the one that files' times are compared with.
            state.adoptsUntil = file.changed
            state.adoption =
                try [files.damaged, files.newer].allSatisfy { try files.identity(of: $0) == nil }
                ? .pending : .rebuilding
        } else if state.indexInode != file.inode && hasStableInodes {
            state.isRelearning = true
            // Files of the copy are younger than its index, in whatever order they were copied.
            if state.adoption != .done || state.awaitsLegacyNames {
                state.adoptsUntil = max(state.adoptsUntil, file.changed, Timestamp(Date()))
            }
        }
        if let last = state.boot {
            if !BootIdentifier.isSame(last, boot) {
                state.noteReboot(writeBackTime: environment.tuning.writeBackTime)
            }
        } else {
            state.boots = 1
        }
        state.boot = boot
        state.indexInode = file.inode
        return state
    }
}
