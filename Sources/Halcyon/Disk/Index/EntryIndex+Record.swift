internal import Foundation
internal import HalcyonSQLite

/// What the folder was when it was opened last.
extension EntryIndex {
    /// Compares the boot and the file's own inode with the recorded ones, and notes the new ones.
    func recordOpening(through connection: Connection) throws -> IndexState {
        let session = IndexSession(connection: connection)
        let status = try environment.fileSystem.status(at: files.database)
        let found = try session.state()
        let boot = environment.boot()
        let isSameBoot = found.boot.map { BootIdentifier.isSame($0, boot) } ?? false
        guard !isSameBoot || found.indexInode != status.inode else { return found }
        return try connection.transaction {
            let state = try updated(try session.state(), boot: boot, file: status)
            try session.setState(state)
            // A new index is made as one of version 1, and has nothing in it that would take time.
            if found.indexInode == nil { try session.finishUpgradeIfEmpty() }
            return state
        }
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
