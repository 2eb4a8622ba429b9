internal import HalcyonSQLite

/// The index that this folder had until it was set aside. While its files become entries again, what can still be read of it is
/// carried over: keys, pins, tags, metadata, accesses and expirations.
///
/// Safe from any thread.
final class PreviousIndex: Sendable {
    private let files: IndexFiles
    private let vfs: String?
    /// nil before the first question. Empty where there is none.
    private let connections: Locked<[Connection]?> = Locked(nil)

    init(files: IndexFiles, vfs: String?) {
        self.files = files
        self.vfs = vfs
    }

    /// What was known of a file that is still the blob of its row; nil where nothing is, or can be read.
    func record(of name: BlobName, in file: FileStatus) -> EntryRecord? {
        first { try IndexSession(connection: $0).rememberedRecord(of: name, in: file) }
    }

    /// What all processes had counted, and since when.
    func statistics() -> (counts: Counts, since: Timestamp)? {
        first { connection in
            let (counts, since) = try IndexSession(connection: connection).statistics()
            return since.map { (counts, $0) }
        }
    }

    /// Closes it. The next question opens what is there then.
    func close() { connections.withLock { $0 = nil } }

    /// The first answer. A damaged index answers some questions and not others.
    private func first<Answer>(_ question: (Connection) throws -> Answer?) -> Answer? {
        connections.withLock { connections in
            let open = connections ?? open()
            connections = open
            for connection in open {
                if let answer = try? question(connection) { return answer }
            }
            return nil
        }
    }

    private func open() -> [Connection] {
        [files.damaged, files.newer].compactMap { path in
            guard let file = try? files.status(at: path), file.kind == .regular, file.links <= 1 else { return nil }
            // Not to be read, nothing to carry over: the blobs become entries all the same.
            return (try? read(path, mendingHeader: false)) ?? (try? read(path, mendingHeader: true))
        }
    }

    /// One wrong bit of a header hides all that is behind it.
    private func read(_ path: String, mendingHeader: Bool) throws -> Connection {
        let connection = try Connection(path: path, access: .queryOnly, busyTimeout: .milliseconds(50), vfs: vfs)
        if mendingHeader { try connection.mendHeader() }
        try connection.with(IndexSQL.lookup) { _ throws(SQLiteError) in }
        return connection
    }
}

extension IndexSession {
    fileprivate func rememberedRecord(of name: BlobName, in file: FileStatus) throws -> EntryRecord? {
        guard var entry = try entry(named: name), entry.matches(file) else { return nil }
        var record = EntryRecord(entry: entry, hits: 0, slack: file.allocatedSize - file.size)
        entry.slack = record.slack
        // Columns and tables that came later, or pages that cannot be read: the rest is worth having without them.
        (record.hits, entry.origin) = (try? uses(of: entry.id)) ?? (0, nil)
        record.entry = entry
        try? describe(&record)
        return record
    }

    private func uses(of id: Int64) throws(SQLiteError) -> (hits: Int64, origin: KeyOrigin?) {
        try connection.with(IndexSQL.uses) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            guard try statement.step() else { return (0, nil) }
            let baseLength = Int(clamping: statement.quantity(at: 2))
            return (
                statement.quantity(at: 0),
                statement.optionalInteger(at: 1).map { KeyOrigin(source: $0, baseLength: baseLength) }
            )
        }
    }

    /// Inserts an entry with all that was known of it, unless there is one with its id.
    func restore(_ record: EntryRecord) throws {
        guard try entry(id: record.entry.id) == nil else { return }
        try upsert(record.entry, pinned: record.entry.isPinned)
        try connection.with(IndexSQL.setHits) { (statement) throws(SQLiteError) in
            statement.bind(record.entry.id, at: 1)
            statement.bind(record.hits, at: 2)
            _ = try statement.step()
        }
        try note(
            DiskStorage.EntryAttributes(
                tags: Set(record.tags), validators: record.validators, metadata: record.metadata),
            of: record.entry)
    }
}
