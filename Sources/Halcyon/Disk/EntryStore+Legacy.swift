internal import Foundation

/// A key that was asked for, and the legacy name that its file still has or may have.
struct LegacyFind: Sendable {
    let name: BlobName
    let key: String
}

/// Blobs named after the MD5 of their key, by Kingfisher 7 and earlier. They are entries under that name; the first lookup
/// of their key finds them there, and housekeeping gives them today's name.
extension EntryStore {
    /// The legacy name that a key's blob may have; nil when the folder has no such names.
    func legacyName(of name: BlobName, key: String) -> BlobName? {
        let condition = condition.withLock { $0 }
        guard condition.legacyNames != .none, condition.namesAreHashed else { return nil }
        return (name.former ?? name).legacy(forKey: key)
    }

    /// Looks for a blob that was not found under its name of today. Whoever finds one gives it that name later, with
    /// ``settleLegacyName(of:as:key:)``.
    func findLegacy<Content>(
        of name: BlobName, key: String, at now: Timestamp, _ look: Look<Content>
    ) throws -> Found<Content>? {
        guard let legacy = legacyName(of: name, key: key), let found = try findOnce(legacy, at: now, look) else {
            return nil
        }
        // What is under today's name is newer: once it has expired, an older value must not come back.
        guard try isSucceeded(by: name, at: now) else { return found }
        settleLegacyLater(legacy, key: key, to: name)
        return nil
    }

    /// After the read has been noted: the note is for the row that was found, and moves with it.
    func settleLegacyName<Content>(of found: Found<Content>, as name: BlobName, key: String) {
        if found.name != name, found.name != name.former { settleLegacyLater(found.name, key: key, to: name) }
    }

    /// Today's name was asked for and found: what is under the legacy one is older, and nobody may find it any more.
    func dropLegacyLater(of name: BlobName, key: String) {
        if let legacy = legacyName(of: name, key: key) { settleLegacyLater(legacy, key: key, to: name) }
    }

    private func settleLegacyLater(_ legacy: BlobName, key: String, to name: BlobName) {
        legacyFinds.withLock { $0[name] = LegacyFind(name: legacy, key: key) }
        housekeeping.request(.settle)
    }

    private func isSucceeded(by name: BlobName, at now: Timestamp) throws -> Bool {
        guard case .none = row(of: name, at: now) else { return true }
        return try blobs.status(of: name).map { isAdoptable($0, named: name) } ?? false
    }

    /// Gives today's names to what was found under legacy ones.
    func settleLegacyFinds() {
        let finds = legacyFinds.withLock { finds in
            defer { finds = [:] }
            return finds
        }
        // What cannot be renamed now is found under its legacy name again, by the next lookup.
        for (name, find) in finds { try? settle(find, as: name) }
    }

    private func settle(_ find: LegacyFind, as name: BlobName) throws {
        guard try blobs.status(of: find.name) != nil else { return }
        // Not in the same transaction: a link changes the inode, and a file that has changed since the index was made is
        // adopted no more. Were the rows rolled back then, it would be lost.
        for name in [find.name, name] { try adoptBeforeReplacing(name) }
        let isSucceeded = try index.read { try $0.entry(named: name) } != nil
        guard isSucceeded || blobs.hasLinks else { return }
        try isSucceeded ? drop(find.name, succeededBy: name) : rename(find, to: name)
    }

    private func drop(_ legacy: BlobName, succeededBy name: BlobName) throws {
        let waste = try settlingIfRefused([legacy]) { session in
            let hasBoth = try session.entry(named: name) != nil && session.entry(named: legacy) != nil
            return try hasBoth ? trash(legacy, in: session) : nil
        }
        if let waste { unlinker.add(waste.blob, size: waste.size) }
    }

    /// A second name first, then the rows, then the first name goes: at each moment there is a row with its blob. A volume
    /// without hard links keeps the legacy names: a crash after a rename would cost the entry.
    private func rename(_ find: LegacyFind, to name: BlobName) throws {
        // A flush between the two would have a note, and with it which image it is, for a row that is not there any more.
        let isRenamed = try flushLock.withLock {
            guard let id = try renameRow(find, to: name) else { return false }
            log.withLock { $0.move(id, to: name.rowID) }
            return true
        }
        if isRenamed { try blobs.unlink(find.name) }
    }

    /// - Returns: the row's old id.
    private func renameRow(_ find: LegacyFind, to name: BlobName) throws -> Int64? {
        try index.write { session in
            guard let entry = try legacyEntry(find, in: session), try isFree(name, in: session),
                try blobs.link(find.name, as: name)
            else { return nil }
            try session.rename(entry, to: name, key: storable(find.key))
            return entry.id
        }
    }

    private func legacyEntry(_ find: LegacyFind, in session: IndexSession) throws -> Entry? {
        guard let entry = try session.entry(named: find.name), let file = try blobs.status(of: find.name) else {
            return nil
        }
        // With another id it could get behind what a clear has come to.
        return try isBlob(of: entry, file) && !isBeingCleared(entry, in: session) ? entry : nil
    }

    /// Whether no entry has a name, nor a file that will become one. What is no file is left where it is.
    private func isFree(_ name: BlobName, in session: IndexSession) throws -> Bool {
        guard try session.entry(named: name) == nil else { return false }
        return try blobs.status(of: name).map { $0.kind == .regular && !isAdoptable($0, named: name) } ?? true
    }

    /// Rows that are not stores leave the time of the latest store as it is.
    func keepingStoredAt(_ session: IndexSession, _ body: () throws -> Void) throws {
        let storedAt = try session.storedAt()
        try body()
        try session.setStoredAt(storedAt)
    }
}
