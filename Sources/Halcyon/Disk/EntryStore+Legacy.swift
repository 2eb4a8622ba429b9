internal import Foundation

/// An entry that somebody has asked for while its file still has a legacy name.
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
        return name.legacy(forKey: key)
    }

    /// Looks for a blob that was not found under its name of today.
    func findLegacy<Content>(
        of name: BlobName, key: String, at now: Timestamp, _ look: Look<Content>
    ) throws -> Found<Content>? {
        guard let legacy = legacyName(of: name, key: key), let found = try findOnce(legacy, at: now, look) else {
            return nil
        }
        legacyFinds.withLock { $0[name] = LegacyFind(name: legacy, key: key) }
        housekeeping.request(.settle)
        return found
    }

    /// Gives today's names to what was found under legacy ones.
    func renameLegacyFinds() {
        let finds = legacyFinds.withLock { finds in
            defer { finds = [:] }
            return finds
        }
        // What cannot be renamed now is found under its legacy name again, by the next lookup.
        for (name, find) in finds { try? rename(find, to: name) }
    }

    /// A second name first, then the rows, then the first name goes: at each moment there is a row with its blob. Where the
    /// volume has no hard links a crash between rename and COMMIT costs the entry.
    private func rename(_ find: LegacyFind, to name: BlobName) throws {
        var (isLinked, isMoved) = (false, false)
        do {
            try index.write { session in
                guard let entry = try legacyEntry(find, in: session), try isFree(name, in: session) else { return }
                isLinked = try blobs.give(find.name, theNewName: name)
                isMoved = !isLinked
                try session.delete(id: entry.id)
                try keepingStoredAt(session) { try session.upsert(entry.renamed(name, key: find.key)) }
                log.withLock { $0.forget(entry.id) }
            }
        } catch {
            // The rows are as before; so is a blob that has two names. A crash right here costs the entry.
            if isMoved { _ = try? blobs.give(name, theNewName: find.name) }
            throw error
        }
        if isLinked { try blobs.unlink(find.name) }
    }

    private func legacyEntry(_ find: LegacyFind, in session: IndexSession) throws -> Entry? {
        if try session.entry(named: find.name) == nil { try adopt(find.name, key: find.key, in: session) }
        guard let entry = try session.entry(named: find.name), let file = try blobs.status(of: find.name) else {
            return nil
        }
        return isBlob(of: entry, file) ? entry : nil
    }

    /// Whether no entry has a name, nor a file that will become one.
    private func isFree(_ name: BlobName, in session: IndexSession) throws -> Bool {
        guard try session.entry(named: name) == nil else { return false }
        return try blobs.status(of: name).map { !isAdoptable($0, named: name) } ?? true
    }

    /// Before a store replaces what is found under the legacy name: a file without a row would not come back if it fails.
    func adoptLegacyBeforeReplacing(_ name: BlobName, key: String) throws -> BlobName? {
        guard let legacy = legacyName(of: name, key: key) else { return nil }
        try adoptBeforeReplacing(legacy)
        return legacy
    }

    /// Takes the entry under a legacy name away, in the transaction of the store that replaces it: it must not be found once
    /// the new one has been evicted.
    func trashLegacy(_ legacy: BlobName?, in session: IndexSession) throws -> (blob: DetachedBlob, size: Int64)? {
        guard let legacy, try session.entry(named: legacy) != nil else { return nil }
        return try trash(legacy, in: session)
    }

    /// Rows that are not stores leave the time of the latest store as it is.
    func keepingStoredAt(_ session: IndexSession, _ body: () throws -> Void) throws {
        let storedAt = try session.storedAt()
        try body()
        try session.setStoredAt(storedAt)
    }
}

extension Entry {
    fileprivate func renamed(_ name: BlobName, key: String) -> Entry {
        Entry(
            name: name, key: key, token: token, inode: inode, size: size, createdAt: createdAt, accessedAt: accessedAt,
            lifetime: lifetime, isPinned: isPinned)
    }
}
