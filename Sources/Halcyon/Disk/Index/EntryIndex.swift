internal import Foundation
internal import HalcyonMigrations
package import HalcyonSQLite

/// The SQLite file beside the blobs: its connections, their locks, and what happens when the file is gone or damaged.
///
/// One writer, some readers and one connection for checkpoints, each behind its own lock; always taken in this order.
/// Safe from any thread. It knows nothing of blobs.
package final class EntryIndex: Sendable {
    let files: IndexFiles
    let environment: StorageEnvironment
    private let volume: Locked<Volume?> = Locked(nil)
    let writer: Locked<Writer?> = Locked(nil)
    let readers = ReaderPool()
    let checkpointer: Locked<Connection?> = Locked(nil)
    let presence: Locked<Presence?> = Locked(nil)
    let knownRows: KnownRows
    let watch: FolderWatch
    private let generationCount = Locked(0)
    private let openedAt = Locked(MonotonicTime.now)
    let lastFailure: Locked<Failure?> = Locked(nil)
    let lastLook: Locked<Timestamp?> = Locked(nil)
    let service = Locked(Service.running)
    let patience: LockPatience
    let activity: ExpiringActivity?
    let connections = OpenConnections()
    /// Frames of the log that are in the database.
    let copiedFrames = Locked(0)
    /// Reads on connections of their own.
    let longReads = DispatchGroup()
    /// Whether an index that only a newer version can use may be set aside, for those who can neither use it nor throw.
    let replacesNewer = Locked(false)
    /// Makes the folders that the index lives in; they may have been removed at any time.
    private let prepareFolder: @Sendable () throws -> Void
    /// Called on the writing thread when the log has grown so far that a checkpoint is due.
    let checkpointIsDue: @Sendable () -> Void
    /// Called with the state found by each opening, before anything else is read.
    private let didOpen: @Sendable (IndexState) -> Void
    /// Called with the state that a transaction of this process has committed.
    private let didChange: @Sendable (IndexState) -> Void
    /// Called when a damaged index has been set aside, under the writer's lock.
    let didRepair: @Sendable () -> Void

    struct Writer {
        let connection: Connection
        let schemaVersion: Int
        /// Whether the index says by which boot, and under which inode number, it was opened last. The first transaction notes it.
        var isRecorded: Bool
        /// Nobody has stored anything yet: nothing of the index may be on the disk.
        var isUnwritten: Bool
    }

    /// Which files were opened. Behind a lock of its own: comparing them must not wait for a writer.
    struct Presence: Equatable {
        let database: IndexFiles.Identity?
        /// Recorded after the first write; compared from then on.
        var log: IndexFiles.LogIdentity?
    }

    struct Failure {
        let error: any Error
        let at: MonotonicTime
    }

    package init(
        path: String, environment: StorageEnvironment, prepareFolder: @escaping @Sendable () throws -> Void,
        checkpointIsDue: @escaping @Sendable () -> Void = {},
        didOpen: @escaping @Sendable (IndexState) -> Void = { _ in },
        didChange: @escaping @Sendable (IndexState) -> Void = { _ in },
        didRepair: @escaping @Sendable () -> Void = {}, didWait: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        files = IndexFiles(database: path, fileSystem: environment.fileSystem)
        watch = FolderWatch(
            path: (path as NSString).deletingLastPathComponent, fileSystem: environment.fileSystem)
        self.environment = environment
        patience = LockPatience(environment.tuning, didWait: didWait)
        knownRows = KnownRows(lifetime: Int(clamping: environment.tuning.rowLifetime))
        activity = FileFlags.isInAppGroup(path) ? environment.expiringActivity.map(ExpiringActivity.init) : nil
        self.prepareFolder = prepareFolder
        self.checkpointIsDue = checkpointIsDue
        self.didOpen = didOpen
        self.didChange = didChange
        self.didRepair = didRepair
    }

    static let migrator = Migrator(
        MigrationFiles.all.map { file in
            Migration(
                version: file.version, name: file.name, sql: file.sql, checksum: file.checksum,
                oldestReader: file.oldestReader)
        }, now: { Timestamp(Date()).milliseconds })

    // MARK: Reading

    /// Runs `body` on a reading connection. Takes no write lock, and waits for a writer of this process only while the
    /// index has to be opened, a quarter of a second at most.
    package func read<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try healingDamageBriefly {
            do {
                return try readOnce(body)
            } catch let error as SQLiteError
                where !error.isDamage && (refreshIfMoved(force: true) || closeAfterInputOutput(error))
            {
                // Its files were taken away, or changed beneath it, while it read.
                return try readOnce(body)
            }
        }
    }

    private func readOnce<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        // Another thread may close it between the two, because its files moved; not for ever.
        for _ in 0..<3 {
            if let result = try readIfOpen(body) { return result }
            try openBriefly()
        }
        throw SQLiteError(code: .cannotOpen, message: "the index is closed as fast as it is opened")
    }

    /// Runs `body` on a connection of its own: for what takes long, which lookups must not wait for.
    package func readAtLength<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try healingDamageBriefly {
            // It needs no more of what is open than the file, and a store may be waiting with the writer's lock.
            if !isOpen { try openBriefly() }
            longReads.enter()
            defer { longReads.leave() }
            do {
                return try readOnOwnConnection(body)
            } catch is SQLiteError where refreshIfMoved(force: true) {
                // What was read was not the index any more, or not yet.
                try openBriefly()
                return try readOnOwnConnection(body)
            }
        }
    }

    /// A function of its own, so that the connection is closed when it returns.
    private func readOnOwnConnection<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        let connection = try makeConnection(.queryOnly, timeout: environment.tuning.readerTimeout)
        // Keys that are sorted must not get into a temporary file.
        try connection.execute("PRAGMA temp_store = MEMORY")
        return try body(IndexSession(connection: connection))
    }

    private func readIfOpen<Result>(_ body: (IndexSession) throws -> Result) throws -> Result? {
        try readers.read(another: openAnotherReader) { try body(IndexSession(connection: $0)) }
    }

    /// One more reading connection; nil when the index is being closed, or is another one by now.
    private func openAnotherReader() throws -> Connection? {
        let connection = try makeConnection(.queryOnly, timeout: environment.tuning.readerTimeout)
        return try isInPlace() ? connection : nil
    }

    // MARK: Writing

    /// Runs `body` in one IMMEDIATE transaction.
    ///
    /// - Throws: what `body` throws, or ``SQLiteError``; then the transaction is rolled back, also when it was the
    ///   COMMIT that was refused.
    package func write<Result>(
        _ logRoom: LogRoom = .withReserve, _ body: (IndexSession) throws -> Result
    ) throws -> Result {
        try healingDamage { try withWriter { try write(through: &$0, logRoom, body) } }
    }

    /// As ``write(_:)``, for one of many batches: lets others in afterwards. Without a pause whoever has just let go of the lock
    /// has it again before anybody who waits for it has woken up.
    ///
    /// - Parameter isFollowed: whether another batch comes after this one; the last one needs no pause.
    func writeBatch<Result>(
        _ logRoom: LogRoom = .withReserve, isFollowed: (Result) -> Bool = { _ in true },
        _ body: (IndexSession) throws -> Result
    ) throws -> Result {
        let begin = MonotonicTime.now
        let result = try write(logRoom, body)
        guard isFollowed(result) else { return result }
        // Writers of other processes look once in a millisecond.
        environment.pause(max(1, MonotonicTime.now.milliseconds(since: begin) / 4))
        return result
    }

    private func write<Result>(
        through writer: inout Writer?, _ logRoom: LogRoom, _ body: (IndexSession) throws -> Result
    ) throws -> Result {
        let connection = try begin(&writer, logRoom)
        do {
            if let writer { try recordOpening(of: writer) }
            let effects = IndexSession.Effects()
            let result = try body(IndexSession(connection: connection, effects: effects))
            try connection.commit()
            knownRows.didCommit(connection.writtenRows, stored: effects.stored)
            // Not before: a refused commit changes nothing. Under the lock: the next opening must not be overtaken.
            if let state = effects.state { didChange(state) }
            writer?.isRecorded = true
            recordLogIdentity()
            requestCheckpoint(frames: connection.logFrames)
            return result
        } catch {
            connection.rollBack()
            // What the connection remembers of a refused call would make later damage look like one.
            if Self.isInputOutput(error) { closeConnections(&writer) }
            throw error
        }
    }

    /// Begins a transaction on what is the folder's index now, opening it anew if it is another one than before.
    private func begin(_ writer: inout Writer?, _ logRoom: LogRoom) throws -> Connection {
        var failure: any Error = SQLiteError(
            code: .cannotOpen, message: "the index's files are removed as fast as they are made")
        // The files can be taken away again and again; three times is somebody's intention.
        for _ in 0..<3 {
            let open = try openIfNeeded(&writer)
            if open.isUnwritten { writeNewIndex(&writer) }
            try require(logRoom, of: open.connection)
            do {
                if try beginInPlace(open) { return open.connection }
            } catch {
                open.connection.rollBack()
                // Without its files, or with others in their place, SQLite fails in many ways.
                guard (try? isInPlace()) == false || Self.isInputOutput(error) else { throw error }
                failure = error
            }
            open.connection.rollBack()
            try reopen(&writer)
        }
        throw failure
    }

    /// Brings a new index to the disk: it is made without waiting for it, but has to be there before the first blob is. After a power cut
    /// a file full of zeros would be taken for a damaged index, and blobs that were never written for those of a folder to take over.
    private func writeNewIndex(_ writer: inout Writer?) {
        // Should it fail, the next checkpoint does it.
        _ = try? writer?.connection.checkpoint(.passive)
        writer?.isUnwritten = false
    }

    /// Begins a transaction; false when what is open is not the folder's index any more, or has got another schema.
    func beginInPlace(_ writer: Writer) throws -> Bool {
        try writer.connection.begin()
        patience.didGetLock()
        let version = try Self.migrator.userVersion(of: writer.connection)
        return try isInPlace() && version == writer.schemaVersion
    }

    private static func isInputOutput(_ error: any Error) -> Bool { (error as? SQLiteError)?.code.primary == .ioError }

    /// Closes the connections after an I/O error, which may be theirs alone: what they remember of a log that others have
    /// replaced. True when fresh ones can be tried.
    private func closeAfterInputOutput(_ error: SQLiteError) -> Bool {
        guard Self.isInputOutput(error) else { return false }
        return LockPatience.briefly { (try? withWriterLock { closeConnections(&$0) }) != nil }
    }

    private func recordLogIdentity() {
        guard presence.withLock({ $0 != nil && $0?.log == nil }) else { return }
        // Not recorded is not compared: a failure here costs the check, not the store.
        let identity = try? files.logIdentity()
        presence.withLock { $0?.log = identity }
    }

    // MARK: Opening

    /// Opens the index if it is not open: makes or upgrades the file. Does not wait long for the write lock, which only an index needs that
    /// is to be made or upgraded.
    package func open() throws { try healingDamageBriefly(openBriefly) }

    /// As ``open()``, and waits like a store.
    func openPatiently() throws { try healingDamage { try withWriter { _ = try openIfNeeded(&$0) } } }

    /// Opens the index for a change that begins with a look: it waits like a store, where a lookup would not.
    func openForChange() throws { if !isOpen { try openPatiently() } }

    private func openBriefly() throws {
        try LockPatience.briefly {
            try throwRecentFailure()
            do {
                try withWriter { _ = try openIfNeeded(&$0) }
            } catch {
                noteFailure(error)
                throw error
            }
        }
    }

    func openIfNeeded(_ writer: inout Writer?) throws -> Writer {
        if let writer { return writer }
        try requireService()
        let opened = try openFresh()
        writer = opened
        return opened
    }

    private func noteFailure(_ error: any Error) {
        let isBusy = (error as? SQLiteError)?.isBusy ?? false
        lastFailure.withLock { $0 = isBusy ? Failure(error: error, at: .now) : nil }
    }

    /// An opening for lookups that has waited for another process's lock in vain is not tried again at once.
    private func throwRecentFailure() throws {
        guard let failure = lastFailure.withLock({ $0 }) else { return }
        guard Int64(MonotonicTime.now.milliseconds(since: failure.at)) < environment.tuning.presenceInterval else {
            lastFailure.withLock { $0 = nil }
            return
        }
        throw failure.error
    }

    private func openFresh() throws -> Writer {
        try prepareFolder()
        // Another process may put another index in its place meanwhile; three times is somebody's intention.
        for _ in 0..<2 {
            let connection = try makeWritingConnection()
            do {
                return try open(connection)
            } catch  where connection.hasMoved {
                continue
            }
        }
        return try open(makeWritingConnection())
    }

    private func open(_ connection: Connection) throws -> Writer {
        // An empty file is what SQLite makes before it writes into it.
        let isNew = try files.status(at: files.database)?.size ?? 0 == 0
        // SQLite gives its log and its shared memory the permissions that the database has by then. By its path: who opens and
        // closes the file takes the locks away that this process has on it. A volume without permissions refuses, and has none.
        if isNew { try? environment.fileSystem.makePrivate(files.database) }
        // Before anything makes files beside it that nobody could write either.
        try connection.verifyHeader()
        let hasTables = try Self.migrator.userVersion(of: connection) > 0
        try configure(connection, hasTables: hasTables)
        try Self.migrator.migrate(connection)
        let opening = try opening(through: connection)
        let state = opening.state
        // The connection that is closed last brings the log into the database, and may be this one.
        try connection.execute("PRAGMA synchronous = NORMAL")
        let reader = try makeConnection(.queryOnly, timeout: environment.tuning.readerTimeout)
        connection.beforeCommit(environment.beforeCommit)
        let version = try Self.migrator.userVersion(of: connection)
        let identity = try files.identity(of: files.database)
        // It may be another file by now. Then it is compared with none, and the next one who looks opens it anew.
        let database = connection.hasMoved ? nil : identity
        watch.forget()
        // A connection that has read keeps the log open; without one (a network volume) there is nothing to compare.
        let log = try files.logIdentity()
        presence.withLock { $0 = Presence(database: database, log: log.log == nil ? nil : log) }
        connection.observeRows(of: "entries")
        knownRows.forgetAll()
        generationCount.withLock { $0 += 1 }
        openedAt.withLock { $0 = .now }
        // Before anybody can read: what the state says decides which files are blobs.
        didOpen(state)
        readers.open(reader)
        return Writer(
            connection: connection, schemaVersion: version, isRecorded: opening.isRecorded,
            isUnwritten: state.storedAt.milliseconds == 0)
    }

    /// A connection that waits for others as long as its caller has patience.
    func makeWritingConnection() throws -> Connection {
        let connection = try makeConnection(.readWriteCreate, timeout: .zero)
        connection.waits { [service, patience] in
            service.withLock { $0 == .running } && patience.keepsWaiting($0)
        }
        return connection
    }

    /// The one place that opens the file: so nothing does while it is suspended.
    func makeConnection(_ access: Connection.Access, timeout: Int) throws -> Connection {
        try requireService()
        try files.requireOwnFiles()
        let connection = try Connection(
            path: files.database, access: access, busyTimeout: timeout, vfs: environment.vfs)
        connection.waits { [service] in $0 < timeout && service.withLock { $0 == .running } }
        connections.add(connection)
        // Only the writer's, which is closed last, flushes as it has to.
        if case .queryOnly = access { connection.keepsLogWhenClosed() }
        // It may have been suspended meanwhile, without knowing of this one.
        try requireService()
        return connection
    }

    func requireService() throws {
        guard isInService else { throw IndexSuspended() }
    }

    private func configure(_ connection: Connection, hasTables: Bool) throws {
        // The second lets the file shrink in small steps later. Only a file without tables takes it, and asking a file that has some
        // would wait for the write lock.
        if !hasTables { try connection.execute("PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL") }
        let volume = try currentVolume()
        if volume.isNetworked {
            _ = try connection.text("PRAGMA journal_mode = DELETE")
        } else if !(try connection.enableWAL()) {
            environment.warn("this volume (\(volume.name)) has no write-ahead log; the index works more slowly")
        }
        try connection.execute(
            """
            PRAGMA journal_size_limit = \(environment.tuning.logSizeLimit);
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = ON;
            PRAGMA trusted_schema = OFF
            """)
        try connection.execute(Self.flushing)
    }

    /// For connections that make checkpoints. On Apple's systems `fsync` does not empty the drive's own cache: without that, pages of the
    /// database could get to the disk before those of the log that would mend them. Nothing else needs it.
    static let flushing = "PRAGMA fullfsync = OFF; PRAGMA checkpoint_fullfsync = ON"

    /// The kind of volume the folder is on; asked once, and warned of once.
    private func currentVolume() throws -> Volume {
        if let known = volume.withLock({ $0 }) { return known }
        let folder = (files.database as NSString).deletingLastPathComponent
        let found = try environment.fileSystem.volume(at: folder)
        volume.withLock { $0 = found }
        if found.isNetworked {
            environment.warn(
                "the cache is on a file system that other machines may share (\(found.name)): no write-ahead log there, "
                    + "and locks may not hold between machines; a local folder is faster and safer")
        }
        return found
    }

    /// Whether the volume is one for a write-ahead log.
    var hasLog: Bool { volume.withLock { $0?.isNetworked == false } }

    /// Whether inode numbers of this volume last.
    package var hasStableInodes: Bool { volume.withLock { $0?.hasStableInodes ?? true } }

    /// Counts the openings: what was found out of one index must not be noted in the next one, which may be another file.
    var generation: Int { generationCount.withLock { $0 } }

    /// How long ago the last opening was.
    var millisecondsOpen: Int { MonotonicTime.now.milliseconds(since: openedAt.withLock { $0 }) }

    /// Whether connections are open now.
    var isOpen: Bool { presence.withLock { $0 } != nil }

    // MARK: Closing

    /// Gives free pages back to the volume, in steps that hold the write lock for a moment each.
    package func shrink() throws {
        while try writeBatch(
            isFollowed: \.self,
            { session in
                let free = try session.freePages()
                try session.releasePages(256)
                // An index that somebody made without auto-vacuum keeps its free pages for later use.
                let left = try session.freePages()
                return left > 0 && left < free
            })
        {}
        checkpoint()
    }

    /// Writes the whole file anew, under the write lock. Text that was overwritten where it was may have left copies: SQLite
    /// overwrites what is deleted, and not what a page still holds between its rows after they were rearranged.
    func compact() throws {
        try withWriter { try openIfNeeded(&$0).connection.execute("VACUUM") }
        checkpoint()
    }

    /// Notes that what was stored is on the disk by now, copies the log into the database and closes the connections.
    ///
    /// A later use opens them again.
    package func close() {
        writer.withLock { writer in
            if let open = writer { noteSettled(open) }
            closeConnections(&writer)
        }
    }

    func noteSettled(_ writer: Writer) {
        let connection = writer.connection
        // Without the note of this boot, times since the boot say nothing. And nothing was stored in it.
        guard writer.isRecorded else { return }
        // It may begin the log anew, and the first sync of a log opens the folder: see ``Connection/checkpoint(_:)``.
        guard !connection.hasMoved else { return }
        let session = IndexSession(connection: connection)
        let now = environment.now()
        // A note that is missing only makes the next boot distrust a minute's entries.
        try? LockPatience.briefly {
            try connection.transaction {
                var state = try session.state()
                let (uptime, writeBackTime) = (environment.uptime(), environment.tuning.writeBackTime)
                guard state.settledAt < state.storedAt || state.settledUptime < state.storedIn?.uptime ?? 0,
                    state.isWritten(at: now, uptime: uptime, writeBackTime: writeBackTime)
                else { return }
                (state.settledAt, state.settledUptime) = (now, uptime)
                try session.setState(state)
            }
        }
    }

    /// The schema version and what was applied, for people.
    package func ledger() throws -> [LedgerRow] {
        try read { try Self.migrator.ledger(of: $0.connection) }
    }
}
