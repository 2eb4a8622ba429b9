internal import HalcyonSQLite

/// What is done when the disk has no room left, not even for writing down that something goes.
extension Remover {
    /// A full disk empties the trash and gets a second chance.
    func makingRoom<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch  where Self.isOutOfSpace(error) {
            unlinker.finish()
            settler.emptyTrash()
            return try body()
        }
    }

    static func isOutOfSpace(_ error: any Error) -> Bool {
        let cause = (error as? BlockedBatch)?.first ?? error
        return (cause as? SystemError)?.isOutOfSpace ?? (cause as? SQLiteError)?.isOutOfSpace ?? false
    }

    /// Without its blob an entry is gone for good, whether its row can be removed now or only later.
    func removeOnFullDisk(_ name: BlobName) throws {
        try withoutCommit { session in
            let entry = try session.entry(named: name)
            if let file = try blobs.status(of: name), try isOwn(file, name, of: entry) { try blobs.unlink(name) }
        }
        // The reader that finds it, or the next batch, tries again.
        _ = try? index.write { session in try session.delete(id: name.rowID) }
    }

    /// Runs `body` under the write lock in a transaction of which nothing is kept: a full disk takes no commit.
    func withoutCommit(_ body: (IndexSession) throws -> Void) throws {
        struct Done: Error {}
        do {
            try index.write { session in
                try body(session)
                throw Done()
            }
        } catch is Done {}
    }

    /// The disk is so full that not even a removal can be written down: what it removes goes first, for once. A row whose blob
    /// is gone is a miss, and the next batch takes it.
    func unlinkVictims(_ next: (IndexSession) throws -> [Entry]) {
        // What cannot be unlinked either is the next try's error.
        try? withoutCommit { session in
            for entry in try next(session) {
                guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file) else { continue }
                try blobs.unlink(entry.name)
            }
        }
    }
}
