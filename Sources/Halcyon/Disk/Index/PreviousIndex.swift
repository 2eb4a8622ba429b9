internal import HalcyonSQLite

/// The index that this folder had until it was set aside. While its files become entries again, what can still be read of it is
/// carried over: keys, pins, tags, metadata, accesses and expirations.
///
/// Safe from any thread.
final class PreviousIndex: Sendable {
    private let files: IndexFiles
    private let vfs: String?
    private let paths: [String]
    /// Throws what is not the file's fault, instead of answering without it.
    private let insists: Bool
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

    /// - Parameter onlyNewer: reads the one alone that an earlier version could not use, and throws where it cannot be read at the moment.
    ///   However old it is, its pins and tags count: that version did not know of them.
    init(files: IndexFiles, vfs: String?, onlyNewer: Bool = false) {
        self.files = files
        self.vfs = vfs
        paths = onlyNewer ? [files.newer] : [files.damaged, files.newer]
        insists = onlyNewer
    }

    /// Whether there is one that can be read, of at most this version.
    func isReadable(upTo version: Int) throws -> Bool {
        try answer { try $0.connection.integer("PRAGMA user_version").map { $0 <= version } } ?? false
    }

    /// What was known of a file that is still the blob of its row; nil where nothing is, or can be read.
    func record(of name: BlobName, in file: FileStatus) throws -> EntryRecord? {
        guard let known = try rememberedRecord(of: name, in: file), known.isSameBlob else { return nil }
        return known.record
    }

    /// As ``record(of:in:)``, also where another blob has taken that one's place.
    func rememberedRecord(of name: BlobName, in file: FileStatus) throws -> (record: EntryRecord, isSameBlob: Bool)? {
        try answer { opened in
            let session = IndexSession(connection: opened.connection)
            guard let entry = try session.rememberedEntry(of: name) else { return nil }
            var record = try session.rememberedRecord(of: entry, in: file, isWhole: insists)
            if opened.isOld { (record.entry.isPinned, record.tags) = (false, []) }
            return (record, entry.matches(file, ignoringInode: opened.isCopy, ignoringTag: opened.isCopy))
        }
    }

    /// What all processes had counted, and since when.
    func statistics() throws -> (counts: Counts, since: Timestamp)? {
        try answer { opened in
            let (counts, since) = try IndexSession(connection: opened.connection).statistics()
            return since.map { (counts, $0) }
        }
    }

    /// Closes it. The next question opens what is there then.
    func close() { state.withLock { $0 = .closed } }

    /// As ``close()``, unless somebody is still reading it at a deadline.
    func close(before deadline: MonotonicTime) { state.withLock(within: deadline.secondsLeft) { $0 = .closed } }

    /// A damaged index answers some questions and not others.
    private func answer<Answer>(_ question: (Opened) throws -> Answer?) throws -> Answer? {
        try state.withLock { state in
            do {
                if case .closed = state { state = try open().map(State.open) ?? .missing }
                guard case .open(let opened) = state else { return nil }
                return try question(opened)
            } catch {
                guard isAnswer(error) else { throw error }
                // Not tried again for each of a hundred thousand files.
                if case .closed = state { state = .missing }
                return nil
            }
        }
    }

    private func isAnswer(_ error: any Error) -> Bool {
        !insists || EntryIndex.isDamage(error) || EntryIndex.isTruncation(error)
    }

    // MARK: Opening

    /// The one that was set aside last.
    private func open() throws -> Opened? {
        let kept = try paths.compactMap { path in try files.status(at: path).map { (path: path, file: $0) } }
        // Under the names of its log somebody may have put what SQLite would wait for, or follow.
        guard let (path, file) = kept.max(by: { $0.file.changed < $1.file.changed }), files.areOwn(beside: path) else {
            return nil
        }
        let connection = try connection(to: path)
        let isCopy = try? connection.integer(IndexSQL.isCopied)
        return Opened(
            connection: connection, isCopy: isCopy.map { $0 != Int64(bitPattern: file.inode) } ?? false,
            isOld: !insists && files.fileSystem.now - file.changed > 86_400_000)
    }

    /// One wrong bit of a header hides all that is behind it.
    private func connection(to path: String) throws -> Connection {
        do {
            return try read(path, mendingHeader: false)
        } catch {
            guard EntryIndex.isDamage(error) else { throw error }
            return try read(path, mendingHeader: true)
        }
    }

    private func read(_ path: String, mendingHeader: Bool) throws -> Connection {
        let connection = try Connection(path: path, access: .queryOnly, busyTimeout: 50, vfs: vfs)
        if mendingHeader { try connection.mendHeader() }
        try connection.with(IndexSession(connection: connection).rememberedLookup()) { _ throws(SQLiteError) in }
        return connection
    }
}

extension IndexSession {
    /// - Parameter isWhole: throws where something cannot be read, instead of leaving it out: columns and tables that came later, pages
    ///   that are damaged.
    fileprivate func rememberedRecord(of entry: Entry, in file: FileStatus, isWhole: Bool) throws -> EntryRecord {
        var record = EntryRecord(entry: entry, hits: 0, slack: file.allocatedSize - file.size)
        record.entry.token = BlobTag.token(entry.token, for: file)
        record.entry.slack = record.slack
        // The next index counts boots anew.
        record.entry.bootTime = nil
        if isWhole { try readDescription(&record) } else { try? readDescription(&record) }
        return record
    }

    private func readDescription(_ record: inout EntryRecord) throws(SQLiteError) {
        (record.hits, record.entry.origin) = try uses(of: record.entry.id)
        try describe(&record, metadata: try hasVersion7() ? IndexSQL.metadata : IndexSQL.formerMetadata)
    }

    fileprivate func rememberedEntry(of name: BlobName) throws -> Entry? {
        try connection.with(rememberedLookup()) { (statement) throws(SQLiteError) in
            statement.bind(name.rowID, at: 1)
            try statement.bind(name, at: 2)
            return try statement.step() ? Entry(statement, name: name) : nil
        }
    }

    /// Version 7 has given a column another name. The number of the version may be what is damaged.
    fileprivate func rememberedLookup() throws(SQLiteError) -> StaticString {
        try hasVersion7() ? IndexSQL.lookup : IndexSQL.formerLookup
    }

    private func hasVersion7() throws(SQLiteError) -> Bool { try connection.texts(IndexSQL.columns).contains("rank") }

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

    /// Puts what was known of a key, and of its blob unless that is another one by now, into its row. Once for each blob: the row has its
    /// token then.
    func merge(_ former: EntryRecord, into entry: Entry, isSameBlob: Bool) throws {
        guard !isSameBlob || former.entry.token != entry.token else { return }
        var current = EntryRecord(entry: entry, hits: 0, slack: former.slack)
        (current.hits, current.entry.origin) = try uses(of: entry.id)
        try describe(&current)
        // Of the file that is there now.
        current.entry.slack = former.slack
        current.mergeKey(of: former)
        if isSameBlob { current.mergeBlob(of: former) }
        let latest = try state()
        // Its metadata with it.
        try delete(id: entry.id)
        try restore(current)
        try setLatestStore(as: latest)
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
