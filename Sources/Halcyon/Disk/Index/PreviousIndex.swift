internal import HalcyonSQLite

/// The index that this directory had before it was set aside. Entries that are rebuilt from files get what can still be read of
/// it: keys, pins, tags, metadata, accesses and expirations.
///
/// Safe from any thread.
final class PreviousIndex: Sendable {
    private let files: IndexFiles
    private let vfs: String?
    private let paths: [String]
    /// Whether to throw errors that are not damage of the file, instead of returning nil.
    private let throwsRefusals: Bool
    private let state = Locked(State())
    /// When the present index was created, by the volume's clock.
    private let replaced = Locked(Timestamp(milliseconds: 0))

    private struct State {
        var file = File.closed
        /// How often the system refused a read. That says nothing about the bytes.
        var refusals = 0

        /// Closes the index too: what its connection remembers of the refused call would spoil the next read.
        ///
        /// - Returns: whether to throw it.
        mutating func noteRefusal() -> Bool {
            guard refusals < PreviousIndex.patience else { return false }
            self = State(refusals: refusals + 1)
            return true
        }
    }

    private enum File {
        case closed
        /// There is no such index, or it cannot be read.
        case missing
        case open(Opened)
    }

    /// How many refusals are thrown, so that the takeover retries. After that it continues without the index.
    private static let patience = 8

    private struct Opened {
        let connection: Connection
        /// What reads a row and its metadata. Version 7 renamed columns.
        let sql: (row: StaticString, metadata: StaticString)
        /// What the system refuses to read is read again later, instead of being left out.
        let isPatient: Bool
        /// The directory was copied, so inode numbers and dates of files do not match the rows; nil if that cannot be read.
        let isCopy: Bool?
        /// Version 0.1.0 has set it aside, or this version one of a later version.
        let isNewer: Bool
        /// When it was set aside.
        let setAside: Timestamp
        /// It was set aside more than a day before the present index was created, so pins and tags may have been removed since.
        let isOld: Bool
    }

    /// - Parameter onlyNewer: reads only an index that an earlier version set aside because it could not use it, and throws if
    ///   that index cannot be read now. Its pins and tags count at any age, because the earlier version did not know them.
    init(files: IndexFiles, vfs: String?, onlyNewer: Bool = false) {
        self.files = files
        self.vfs = vfs
        paths = onlyNewer ? [files.newer] : [files.damaged, files.newer]
        throwsRefusals = onlyNewer
    }

    /// Whether there is a readable index of at most this schema version.
    func isReadable(upTo version: Int) throws -> Bool {
        try answer { try $0.connection.integer("PRAGMA user_version").map { $0 <= version } } ?? false
    }

    /// The record of a name, and whether the file is still the blob of its row; nil if there is none or it cannot be read.
    func rememberedRecord(of name: BlobName, in file: FileStatus) throws -> (record: EntryRecord, isSameBlob: Bool)? {
        try answer { opened -> (record: EntryRecord, isSameBlob: Bool)? in
            let session = IndexSession(connection: opened.connection)
            guard let entry = try session.entry(named: name, by: opened.sql.row) else { return nil }
            var record = try session.rememberedRecord(of: entry, in: file, metadata: opened.sql.metadata) { error in
                !throwsRefusals && (EntryIndex.isSuspicious(error) || !opened.isPatient)
            }
            if opened.isOld { (record.entry.isPinned, record.tags) = (false, []) }
            let isSameBlob = entry.matches(
                file, ignoringInode: opened.isCopy ?? true, ignoringTag: opened.isCopy ?? false)
            return (record, isSameBlob)
        }
    }

    /// What it recorded about the directory, and when it was set aside; nil if that was long before, or cannot be read.
    func recordedState() -> (state: IndexState, setAside: Timestamp)? {
        try? answer { opened in
            opened.isOld ? nil : (try IndexSession(connection: opened.connection).state(), opened.setAside)
        }
    }

    /// The counts of all processes, and when counting began. Those of a newer index are only for ``Reclaimer``, or they would be added
    /// twice.
    func statistics() throws -> (counts: Counts, since: Timestamp)? {
        try answer { opened in
            guard throwsRefusals || !opened.isNewer else { return nil }
            let (counts, since) = try IndexSession(connection: opened.connection).statistics()
            return since.map { (counts, $0) }
        }
    }

    /// Closes it. The next call opens what is there then.
    func close() { state.withLock { $0 = State() } }

    /// Notes when the present index was created. Call it before the others.
    func note(replacedAt time: Timestamp) { replaced.withLock { $0 = time } }

    /// Like ``close()``, unless another thread is still reading it at the deadline.
    func close(before deadline: MonotonicTime) { state.withLock(within: deadline.secondsLeft) { $0 = State() } }

    /// Runs a query. A damaged index can answer some and not others; nil if it cannot.
    private func answer<Answer>(_ question: (Opened) throws -> Answer?) throws -> Answer? {
        try state.withLock { state -> Answer? in
            do {
                if case .closed = state.file {
                    state.file = try open(isPatient: state.refusals < Self.patience).map(File.open) ?? .missing
                }
                guard case .open(let opened) = state.file else { return nil }
                return try question(opened)
            } catch {
                if !EntryIndex.isSuspicious(error) {
                    if throwsRefusals { throw error }
                    // The error itself would be taken for one of the index.
                    if state.noteRefusal() { throw Self.refusal(error) }
                }
                // Do not try to open it again for each of a hundred thousand files.
                if case .closed = state.file { state.file = .missing }
                return nil
            }
        }
    }

    private static func refusal(_ error: any Error) -> CacheStorageError {
        CacheStorageError(
            .indexUnavailable, "The index that was set aside cannot be read at the moment (\(error)).",
            remedy: "Try again. After some seconds the cache continues without it.")
    }

    // MARK: Opening

    /// Opens the index that was set aside last.
    private func open(isPatient: Bool) throws -> Opened? {
        let kept = try paths.compactMap { path in try files.status(at: path).map { (path: path, file: $0) } }
        // At the paths of its log there may be a pipe or a symlink, which SQLite would wait for or follow.
        guard let (path, file) = kept.max(by: { $0.file.changed < $1.file.changed }),
            try files.areOwn(beside: path)
        else {
            return nil
        }
        let connection = try connection(to: path)
        let isCopy = try? connection.integer(IndexSQL.isCopied)
        return Opened(
            connection: connection, sql: try IndexSession(connection: connection).rememberedSQL(), isPatient: isPatient,
            isCopy: isCopy.map { $0 != Int64(bitPattern: file.inode) }, isNewer: path == files.newer,
            setAside: file.changed, isOld: !throwsRefusals && replaced.withLock { $0 } - file.changed > 86_400_000)
    }

    /// Tries what makes a whole file unreadable: SQL in its schema that this version of SQLite does not know, and one wrong bit in its
    /// header.
    private func connection(to path: String) throws -> Connection {
        for prepare in [{ _ in }, { try $0.ignoreUnknownSchema() }] as [(Connection) throws -> Void] {
            do { return try read(path, prepare) } catch {
                guard EntryIndex.isDamage(error) else { throw error }
            }
        }
        return try read(path) { try $0.mendHeader() }
    }

    private func read(_ path: String, _ prepare: (Connection) throws -> Void) throws -> Connection {
        let connection = try Connection(path: path, access: .queryOnly, busyTimeout: 50, vfs: vfs)
        try prepare(connection)
        try connection.with(IndexSession(connection: connection).rememberedSQL().row) { _ throws(SQLiteError) in }
        return connection
    }
}

extension IndexSession {
    /// - Parameter mayOmit: whether to leave out the description after an error: a later column or table, a damaged page.
    fileprivate func rememberedRecord(
        of entry: Entry, in file: FileStatus, metadata: StaticString, mayOmit: (any Error) -> Bool
    ) throws -> EntryRecord {
        var record = EntryRecord(entry: entry, hits: 0)
        record.entry.token = BlobTag.token(entry.token, for: file)
        record.entry.slack = file.allocatedSize - file.size
        // The next index counts boots from the start.
        record.entry.bootTime = nil
        // Each by itself: damage of one table or index leaves the others readable.
        func read(_ part: () throws -> Void) throws {
            do { try part() } catch {
                guard mayOmit(error) else { throw error }
            }
        }
        try read { (record.hits, record.entry.origin) = try uses(of: entry.id) }
        try read { record.tags = try tags(of: entry) }
        try read { try readMetadata(of: &record, metadata) }
        return record
    }

    /// Looks for a column, because the version number itself may be damaged.
    fileprivate func rememberedSQL() throws(SQLiteError) -> (row: StaticString, metadata: StaticString) {
        // A list, so it is not made again for each entry.
        try connection.texts(IndexSQL.columns).contains("rank")
            ? (IndexSQL.row, IndexSQL.metadata) : (IndexSQL.formerRow, IndexSQL.formerMetadata)
    }

    private func uses(of id: Int64) throws(SQLiteError) -> (hits: Int64, origin: KeyOrigin?) {
        try connection.first(IndexSQL.uses, id) { statement in
            let baseLength = Int(clamping: statement.quantity(at: 2))
            return (
                statement.quantity(at: 0),
                statement.optionalInteger(at: 1).map { KeyOrigin(source: $0, baseLength: baseLength) }
            )
        } ?? (0, nil)
    }

    /// Merges the record of a key into its row, and that of its blob unless another blob has replaced it. Does so once per
    /// blob, because the row then has the record's token.
    func merge(_ former: EntryRecord, into entry: Entry, isSameBlob: Bool) throws {
        guard !isSameBlob || former.entry.token != entry.token else { return }
        var current = EntryRecord(entry: entry, hits: 0)
        (current.hits, current.entry.origin) = try uses(of: entry.id)
        try describe(&current)
        // The slack of the current file.
        current.entry.slack = former.entry.slack
        current.mergeKey(of: former)
        if isSameBlob { current.mergeBlob(of: former) }
        let latest = try state()
        // A row gets the number of the present boot.
        if current.entry.bootTime?.boot != latest.boots { current.entry.bootTime = nil }
        // Deletes its metadata too.
        try delete(id: entry.id)
        try restore(current)
        try setLatestStore(as: latest)
    }

    /// Inserts an entry with its whole record, unless a row with its id exists.
    func restore(_ record: EntryRecord) throws {
        guard try entry(id: record.entry.id) == nil else { return }
        try upsert(record.entry, pinned: record.entry.isPinned)
        try connection.run(IndexSQL.setHits, record.entry.id, record.hits)
        try note(
            DiskStorage.EntryAttributes(
                tags: Set(record.tags), validators: record.validators, metadata: record.metadata),
            of: record.entry)
    }
}
