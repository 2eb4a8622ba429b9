internal import HalcyonSQLite

/// The index that this folder had until it was set aside. While its files become entries again, what can still be read of it is
/// carried over: keys, pins, tags, metadata, accesses and expirations.
///
/// Safe from any thread.
final class PreviousIndex: Sendable {
    private let files: IndexFiles
    private let vfs: String?
    private let paths: [String]
    private let state: Locked<State> = Locked(.closed)

    private enum State {
        case closed
        /// There is none, or none that can be read.
        case missing
        case open(Opened)
    }

    private struct Opened {
        let connection: Connection
        /// Its folder was copied: inode numbers and dates of files are not those of its rows.
        let isCopy: Bool
        /// Set aside long ago, so that pins and tags may have been taken away since.
        let isOld: Bool
    }

    init(files: IndexFiles, vfs: String?) {
        self.files = files
        self.vfs = vfs
        paths = [files.damaged, files.newer]
    }

    /// The one that an earlier version could not use. Nobody has taken pins and tags away from what that version did not know of.
    init(newerIn files: IndexFiles, vfs: String?) {
        self.files = files
        self.vfs = vfs
        paths = [files.newer]
    }

    /// Whether there is one that can be read, of at most this version.
    func isReadable(upTo version: Int) -> Bool {
        answer { try $0.connection.integer("PRAGMA user_version").map { $0 <= version } } ?? false
    }

    /// What was known of a file that is still the blob of its row; nil where nothing is, or can be read.
    func record(of name: BlobName, in file: FileStatus) -> EntryRecord? {
        answer { opened in
            let session = IndexSession(connection: opened.connection)
            guard var record = try session.rememberedRecord(of: name, in: file, isCopy: opened.isCopy) else {
                return nil
            }
            if opened.isOld { (record.entry.isPinned, record.tags) = (false, []) }
            return record
        }
    }

    /// What all processes had counted, and since when.
    func statistics() -> (counts: Counts, since: Timestamp)? {
        answer { opened in
            let (counts, since) = try IndexSession(connection: opened.connection).statistics()
            return since.map { (counts, $0) }
        }
    }

    /// Closes it. The next question opens what is there then.
    func close() { state.withLock { $0 = .closed } }

    /// As ``close()``, unless somebody is still reading it at a deadline.
    func close(before deadline: MonotonicTime) { state.withLock(within: deadline.secondsLeft) { $0 = .closed } }

    /// A damaged index answers some questions and not others.
    private func answer<Answer>(_ question: (Opened) throws -> Answer?) -> Answer? {
        state.withLock { state in
            if case .closed = state { state = open().map(State.open) ?? .missing }
            guard case .open(let opened) = state else { return nil }
            return try? question(opened)
        }
    }

    // MARK: Opening

    /// The one that was set aside last.
    private func open() -> Opened? {
        let kept = paths.compactMap { path in
            (try? files.status(at: path)).flatMap { file in file.map { (path: path, file: $0) } }
        }
        guard let (path, file) = kept.max(by: { $0.file.changed < $1.file.changed }), file.kind == .regular,
            file.links <= 1, let connection = connection(to: path)
        else { return nil }
        let isCopy = try? connection.integer(IndexSQL.isCopied)
        return Opened(
            connection: connection, isCopy: isCopy.map { $0 != Int64(bitPattern: file.inode) } ?? false,
            isOld: paths.count > 1 && files.fileSystem.now - file.changed > 86_400_000)
    }

    /// nil for one that cannot be read: the blobs become entries all the same.
    private func connection(to path: String) -> Connection? {
        if let connection = try? read(path, mendingHeader: false) { return connection }
        // One wrong bit of a header hides all that is behind it.
        return path == files.damaged ? try? read(path, mendingHeader: true) : nil
    }

    private func read(_ path: String, mendingHeader: Bool) throws -> Connection {
        let connection = try Connection(path: path, access: .queryOnly, busyTimeout: 50, vfs: vfs)
        if mendingHeader { try connection.mendHeader() }
        try connection.with(IndexSession(connection: connection).rememberedLookup()) { _ throws(SQLiteError) in }
        return connection
    }
}

extension IndexSession {
    fileprivate func rememberedRecord(of name: BlobName, in file: FileStatus, isCopy: Bool) throws -> EntryRecord? {
        guard var entry = try rememberedEntry(of: name),
            entry.matches(file, ignoringInode: isCopy, ignoringTag: isCopy)
        else { return nil }
        entry.token = BlobTag.token(entry.token, for: file)
        var record = EntryRecord(entry: entry, hits: 0, slack: file.allocatedSize - file.size)
        entry.slack = record.slack
        // Columns and tables that came later, or pages that cannot be read: the rest is worth having without them.
        (record.hits, entry.origin) = (try? uses(of: entry.id)) ?? (0, nil)
        // The next index counts boots anew.
        entry.bootTime = nil
        record.entry = entry
        try? describe(&record)
        return record
    }

    private func rememberedEntry(of name: BlobName) throws -> Entry? {
        try connection.with(rememberedLookup()) { (statement) throws(SQLiteError) in
            statement.bind(name.rowID, at: 1)
            try statement.bind(name, at: 2)
            return try statement.step() ? Entry(statement, name: name) : nil
        }
    }

    /// Version 7 has given a column another name. The number of the version may be what is damaged.
    fileprivate func rememberedLookup() throws(SQLiteError) -> StaticString {
        let hasRank = try connection.texts(IndexSQL.columns).contains("rank")
        return hasRank ? IndexSQL.lookup : IndexSQL.formerLookup
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

    /// Puts what was known of a blob into its row.
    func merge(_ former: EntryRecord, into entry: Entry) throws {
        var current = EntryRecord(entry: entry, hits: 0, slack: former.slack)
        let origin: KeyOrigin?
        (current.hits, origin) = try uses(of: entry.id)
        try describe(&current)
        current.entry.origin = former.entry.origin ?? origin
        current.merge(former)
        // Its metadata with it.
        try delete(id: entry.id)
        try restore(current)
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
