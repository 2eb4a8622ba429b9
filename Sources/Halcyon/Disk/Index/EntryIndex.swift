internal import Foundation
internal import HalcyonMigrations
package import HalcyonSQLite

/// The SQLite file beside the blobs: its connections, their locks, and recovery if the file is missing or damaged.
///
/// One writer, some readers and one connection for checkpoints, each with its own lock; take the locks in this order. Safe from
/// any thread. Of the blobs, it examines a few, to notice that the directory is a copy: see `EntryIndex+Record`.
package final class EntryIndex: Sendable {
    let files: IndexFiles
    let environment: StorageEnvironment
    private let volume: Locked<Volume?> = Locked(nil)
    let writer: Locked<Writer?> = Locked(nil)
    let readers = ReaderPool()
    let checkpointer: Locked<Connection?> = Locked(nil)
    /// The files at the last opening: the database, the log and its shared memory. It has its own lock, so that comparing them
    /// does not wait for a writer.
    let presence: Locked<[IndexFiles.Identity?]?> = Locked(nil)
    let knownRows: KnownRows
    let watch: FolderWatch
    private let generationCount = Locked(0)
    private let openedAt = Locked(MonotonicTime.now)
    let lastLook: Locked<Timestamp?> = Locked(nil)
    let service = Locked(Service.running)
    /// The number of calls of ``resume()``, by any cache of this process on the directory.
    let resumptions = Locked(0)
    let patience: LockTimeout
    private let readOnlyReopenings: Locked<[MonotonicTime]> = Locked([])
    /// Like `patience`, for room in the log.
    let logPatience: LockTimeout
    let activity: ExpiringActivity?
    let connections = OpenConnections()
    /// The length of the log in frames after this process's latest commit, and how many are already in the database.
    let logProgress = Locked((frames: 0, copied: 0))
    /// Reads on connections of their own.
    let longReads = DispatchGroup()
    /// Whether ``close()`` has closed it.
    private let isClosed = Locked(false)
    /// Whether an index that only a newer version can use may be set aside, for callers that can neither use it nor throw.
    let replacesNewer = Locked(false)
    let blobs: BlobStore
    private let condition: FolderCondition
    let previousIndex: PreviousIndex
    let housekeeping: Housekeeping
    let observers: Observers

    struct Writer {
        let connection: Connection
        let schemaVersion: Int
        /// Whether the index contains the current boot and its own inode number. The first transaction records them.
        var isRecorded: Bool
        /// No call has stored anything yet, so the index may not be on disk at all.
        var isUnwritten: Bool
    }

    init(
        of blobs: BlobStore, environment: StorageEnvironment, condition: FolderCondition,
        housekeeping: Housekeeping, observers: Observers
    ) {
        files = IndexFiles(database: blobs.indexPath, fileSystem: environment.fileSystem)
        previousIndex = PreviousIndex(files: files, vfs: environment.vfs)
        watch = FolderWatch(path: files.folder, fileSystem: environment.fileSystem)
        self.environment = environment
        patience = LockTimeout(environment.tuning, observers)
        logPatience = LockTimeout(environment.tuning, observers)
        knownRows = KnownRows(lifetime: Int(clamping: environment.tuning.rowLifetime))
        let isInAppGroup = FileFlags.isInAppGroup(files.database)
        activity = isInAppGroup ? environment.expiringActivity.map(ExpiringActivity.init) : nil
        (self.blobs, self.condition) = (blobs, condition)
        (self.housekeeping, self.observers) = (housekeeping, observers)
    }

    static let migrator = Migrator(MigrationFiles.all, now: { Timestamp(Date()).milliseconds })

    // MARK: Writing

    /// Runs `body` in one IMMEDIATE transaction.
    ///
    /// - Throws: what `body` throws, ``SQLiteError``, ``LogFull`` or ``IndexSuspended``. The transaction is rolled back, even
    ///   if its COMMIT failed.
    package func write<Result>(
        _ logRoom: LogRoom = .withReserve, _ body: (IndexSession) throws -> Result
    ) throws -> Result {
        try waitingForLogRoom(logRoom) {
            try healingDamage { try withWriter { try write(through: &$0, logRoom, body) } }
        }
    }

    /// Like ``write(_:_:)``, for one of many batches: pauses afterwards to let others in. Without the pause, this thread would
    /// get the lock again before a waiting thread or process wakes up.
    ///
    /// - Parameter isFollowed: whether another batch follows; the last one needs no pause.
    func writeBatch<Result>(
        _ logRoom: LogRoom = .withReserve, isFollowed: (Result) -> Bool = { _ in true },
        _ body: (IndexSession) throws -> Result
    ) throws -> Result {
        var begin = MonotonicTime.now
        let result = try write(logRoom) { session in
            begin = .now
            return try body(session)
        }
        guard isFollowed(result) else { return result }
        // Writers of other processes retry every millisecond.
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
            knownRows.didCommit(connection.writtenRows, effects)
            // After the commit, because a refused one changes nothing. Under the lock, so that it comes before the next
            // opening.
            if let state = effects.state { condition.update(from: state) }
            for action in effects.actions { action() }
            writer?.isRecorded = true
            requestCheckpoint(frames: connection.logFrames)
            return result
        } catch {
            connection.rollBack()
            // Copied, the log restarts: on a small volume, its next commits then need no room.
            if error.meansFullDisk { housekeeping.request(.checkpoint) }
            // The connection remembers a refused call, and would report later damage as one.
            if needsFreshConnections(error) { closeConnections(&writer) }
            throw error
        }
    }

    /// Begins a transaction on the directory's current index. Reopens the index first if its files were replaced.
    private func begin(_ writer: inout Writer?, _ logRoom: LogRoom) throws -> Connection {
        var failure: any Error = SQLiteError(
            code: .cannotOpen, message: "another process kept removing the index's files")
        // Another process may keep removing the files. After three times, give up.
        for _ in 0..<3 {
            let open = try openIfNeeded(&writer)
            if open.isUnwritten { writeNewIndex(&writer) }
            try require(logRoom, of: open.connection)
            do {
                if try beginInPlace(open) { return open.connection }
            } catch {
                open.connection.rollBack()
                // If its files are missing or replaced, SQLite fails in many ways.
                guard (try? isInPlace()) == false || needsFreshConnections(error) else { throw error }
                failure = error
            }
            open.connection.rollBack()
            try reopen(&writer)
        }
        throw failure
    }

    /// Flushes a new index, whose creation did not wait for the disk. It must be on disk before the first blob is: otherwise a
    /// power cut could leave a file of zeros, which counts as damage, and blobs that were never written would be adopted.
    private func writeNewIndex(_ writer: inout Writer?) {
        // If it fails, the next checkpoint flushes the index.
        _ = try? writer?.connection.checkpoint(.passive)
        writer?.isUnwritten = false
    }

    /// Begins a transaction. Returns false if the open file is no longer the directory's index, or if its schema has changed.
    func beginInPlace(_ writer: Writer) throws -> Bool {
        try writer.connection.begin()
        patience.didGetLock()
        let version = try Self.migrator.userVersion(of: writer.connection)
        return try isInPlace() && version == writer.schemaVersion
    }

    private static func isInputOutput(_ error: any Error) -> Bool { (error as? SQLiteError)?.code.primary == .ioError }

    /// Whether an error may affect these connections alone: I/O errors, because they may use a log that another process has replaced, and
    /// READONLY, because SQLite silently opens the log or its shared memory for reading if the system refuses to open it for
    /// writing, for example because too many files are open. If this user may not write to them, fresh ones do not help.
    private func needsFreshConnections(_ error: any Error) -> Bool {
        guard let code = (error as? SQLiteError)?.code.primary else { return false }
        return code == .ioError || (code == .readOnly && mayReopenReadOnly())
    }

    /// At most three times in five seconds: several threads may be refused at once.
    private func mayReopenReadOnly() -> Bool {
        readOnlyReopenings.withLock { times in
            times.removeAll { MonotonicTime.now.milliseconds(since: $0) >= 5_000 }
            guard times.count < 3 else { return false }
            times.append(.now)
            return true
        }
    }

    /// Closes the connections after such an error. Returns whether the caller can try fresh ones.
    func closeIfAffected(by error: SQLiteError) -> Bool {
        guard needsFreshConnections(error) else { return false }
        return LockTimeout.briefly { (try? withWriter { closeConnections(&$0) }) != nil }
    }

    // MARK: Opening

    /// Opens the index if it is not open, and creates or upgrades its file if necessary. Only then does it need the write lock,
    /// for which it waits briefly.
    package func open() throws { try healingDamage(briefly: true, openBriefly) }

    /// Like ``open()``, but waits as long as a store: for a change that begins with a read.
    func openForChange() throws {
        if !isOpen { try healingDamage(openPatiently) }
    }

    func openPatiently() throws { try withWriter { _ = try openIfNeeded(&$0) } }

    func openBriefly() throws { try LockTimeout.briefly(openPatiently) }

    func openIfNeeded(_ writer: inout Writer?) throws -> Writer {
        if let writer {
            // A suspension that could not wait for this writer has closed them.
            readers.openIfClosed()
            return writer
        }
        try requireService()
        let opened = try openFresh()
        writer = opened
        isClosed.withLock { $0 = false }
        return opened
    }

    /// Which index a thread may open.
    enum Opening {
        case any
        /// None that is missing: work that the app has not asked for would bring back a directory that is being deleted.
        case existing
        /// Like ``existing``, but none that the app has closed, either.
        case unclosed
    }

    static let opening = TaskLocal(wrappedValue: Opening.any)

    /// Throws if the calling thread may not open the index.
    func requireOpening() throws {
        let opening = Self.opening.get()
        guard opening != .any else { return }
        guard opening == .existing || !isClosed.withLock({ $0 }) else { throw IndexSuspended() }
        guard try [files.database, files.damaged, files.newer].contains(where: { try files.status(at: $0) != nil })
        else { throw SQLiteError(code: .cannotOpen, message: "the index was deleted") }
    }

    private func openFresh() throws -> Writer {
        try requireOpening()
        // Another process may remove the directories at any time.
        try blobs.prepare()
        // Another process may replace the file in the meantime. After three times, give up.
        for _ in 0..<2 {
            let connection = try makeWritingConnection()
            do {
                return try open(connection)
            } catch  where connection.hasMoved || Self.isInputOutput(error) {
                // Another process may be setting it aside.
                continue
            }
        }
        return try open(makeWritingConnection())
    }

    private func open(_ connection: Connection) throws -> Writer {
        // SQLite creates an empty file before it writes to it.
        let isNew = try files.status(at: files.database)?.size ?? 0 == 0
        // SQLite creates its log and shared memory with the permissions of the database. Set them by path: opening and closing
        // the file would drop this process's locks on it.
        // A volume without permissions refuses, which is harmless: no one else can look into the directory `.halcyon`.
        if isNew { try? environment.fileSystem.makePrivate(files.database) }
        // Before SQLite creates files beside it, which would be read-only too.
        try connection.verifyHeader()
        let hasTables = try Self.migrator.userVersion(of: connection) > 0
        try configure(connection, hasTables: hasTables)
        try Self.migrator.migrate(connection)
        // Another index may have been set aside since.
        previousIndex.close()
        let opening = try opening(through: connection)
        var state = opening.state
        if state.wasCreatedInThisBoot, !state.isDistrusting, condition.settings.namesAreHashed,
            state.isSearching(namesAreHashed: true)
        {
            // Files whose mode or owner was changed meanwhile have later change times. All were written completely.
            state.adoptsUntil = max(state.adoptsUntil, environment.fileSystem.now)
        }
        // The connection that closes last checkpoints the log, and it may be this one.
        try connection.execute("PRAGMA synchronous = NORMAL")
        let version = try Self.migrator.userVersion(of: connection)
        let identity = try files.identity(of: files.database)
        // Another file may have replaced it. Then record none, so that the next check reopens the index.
        let database = connection.hasMoved ? nil : identity
        // Before the index counts as open, because the state decides which files are blobs.
        condition.update(from: state)
        watch.forget()
        // A connection that has read keeps the log open. Without a log (on a network volume), none may appear.
        let (log, sharedMemory) = (try files.identity(of: files.log), try files.identity(of: files.sharedMemory))
        presence.withLock { $0 = [database, log, sharedMemory] }
        if log != nil { connection.joinLogWrites() }
        // May count frames from before the log restarted. Then the first transaction finds that out.
        connection.logFrames = try Int(clamping: (files.status(at: files.log)?.size ?? 0) / Self.frameSize)
        connection.observeRows(of: "entries")
        knownRows.forgetAll()
        generationCount.withLock { $0 += 1 }
        openedAt.withLock { $0 = .now }
        housekeeping.request(.sweep)
        readers.open()
        return Writer(
            connection: connection, schemaVersion: version, isRecorded: opening.isRecorded,
            isUnwritten: state.storedAt.milliseconds == 0)
    }

    /// Opens a connection that waits for locks as long as ``LockTimeout`` allows.
    func makeWritingConnection() throws -> Connection {
        let connection = try makeConnection(.readWriteCreate, timeout: .zero)
        connection.waits { [service, patience] in
            service.withLock { $0 == .running } && patience.shouldKeepWaiting($0)
        }
        return connection
    }

    /// The only place that opens the file, so that nothing opens it during a suspension.
    func makeConnection(_ access: Connection.Access, timeout: Int) throws -> Connection {
        try requireService()
        try files.requireOwnFiles()
        let connection = try Connection(
            path: files.database, access: access, busyTimeout: timeout, vfs: environment.vfs)
        connection.waits { [service] in $0 < timeout && service.withLock { $0 == .running } }
        connections.add(connection)
        // Only the writer's connection, which closes last, checkpoints with the right flushes.
        if case .queryOnly = access { connection.keepsLogWhenClosed() }
        // A suspension in the meantime did not know about this connection.
        try requireService()
        return connection
    }

    func requireService() throws {
        guard isInService else { throw IndexSuspended() }
    }

    private func configure(_ connection: Connection, hasTables: Bool) throws {
        // `auto_vacuum` lets the file shrink in small steps later. It has no effect once there are tables, and would then wait
        // for the write lock.
        if !hasTables { try connection.execute("PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL") }
        let volume = try currentVolume()
        if volume.isNetworked {
            _ = try connection.text("PRAGMA journal_mode = DELETE")
        } else if !(try connection.enableWAL()) {
            environment.warn("The volume (\(volume.name)) does not support a write-ahead log, so the index is slower.")
        }
        try connection.execute(
            """
            PRAGMA journal_size_limit = \(environment.tuning.logSizeLimit);
            PRAGMA cache_size = \(environment.tuning.pageCacheSize);
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = ON
            """)
        try connection.execute(Self.flushing)
    }

    /// For connections that checkpoint. On Apple's systems, `fsync` does not flush the drive's own cache, so pages of the
    /// database could reach the disk before the pages of the log that would repair them. Nothing else needs a full flush.
    static let flushing = "PRAGMA fullfsync = OFF; PRAGMA checkpoint_fullfsync = ON"

    /// A page and its header in the log (https://www.sqlite.org/fileformat.html, section 4.1).
    private static let frameSize: Int64 = 4_096 + 24

    /// The kind of the directory's volume, at each opening: another one may be mounted there since. Warns once for each.
    private func currentVolume() throws -> Volume {
        let found = try environment.fileSystem.volume(at: files.folder)
        let former = volume.replace(with: found)
        if found.isNetworked, found != former {
            environment.warn(
                "The file system of the cache (\(found.name)) is not known to be safe for a write-ahead log, so the index is slower. If "
                    + "other machines share it, locks may not hold between them. Use a local directory on ext4 or APFS."
            )
        }
        return found
    }

    /// Whether the volume is suitable for a write-ahead log.
    var hasLog: Bool { volume.withLock { $0?.isNetworked == false } }

    /// Whether inode numbers of this volume are stable.
    package var hasStableInodes: Bool { volume.withLock { $0?.hasStableInodes ?? true } }

    /// Counts the openings. What is known about one index must not be recorded in the next one, which may be another file.
    var generation: Int { generationCount.withLock { $0 } }

    /// Milliseconds since the last opening.
    var millisecondsOpen: Int { MonotonicTime.now.milliseconds(since: openedAt.withLock { $0 }) }

    /// Whether connections are open now.
    var isOpen: Bool { presence.withLock { $0 } != nil }

    // MARK: Closing

    /// Returns free pages to the volume, in steps that each hold the write lock briefly.
    ///
    /// Leaves the rest to the daily sweep if a long read keeps the log from restarting, because stores need the room in it.
    ///
    /// - Parameter willBegin: called before each step. If it throws, the rest stays.
    package func shrink(willBegin: () throws -> Void = {}) throws {
        var isFollowed = true
        while isFollowed, try isLogHalfFree() {
            try willBegin()
            isFollowed = try writeBatch(isFollowed: \.self) { session in
                let free = try session.freePages()
                try session.releasePages(256)
                // An index that was created without auto-vacuum keeps its free pages.
                let left = try session.freePages()
                return left > 0 && left < free
            }
        }
        checkpoint()
    }

    /// Rewrites the whole file under the write lock, to erase copies of overwritten text. SQLite overwrites what it deletes,
    /// but not the remains between the rows of a page after it has moved them. The copy that it makes first is in memory, because one
    /// row still has its key.
    func compact() throws { try withWriter { try openIfNeeded(&$0).connection.execute("VACUUM") } }

    /// Records that all stored blobs are on disk, if enough time has passed, copies the log into the database and closes the
    /// connections.
    ///
    /// A later use opens the index again.
    package func close() {
        // If the system grants no time for this, the connections are closed without it.
        do { try finishAndClose { isClosed.withLock { $0 = true } } } catch { isClosed.withLock { $0 = true } }
    }

    /// Like ``close()``. If the system grants no time, throws ``IndexSuspended`` after it has closed the connections.
    ///
    /// - Parameter willClose: called under the writer's lock.
    func finishAndClose(_ willClose: () -> Void) throws {
        try whileNotSuspended {
            writer.withLock { writer in
                if let open = writer { noteSettled(open) }
                willClose()
                closeConnections(&writer)
            }
        }
    }

    func noteSettled(_ writer: Writer) {
        let connection = writer.connection
        // Until this boot is recorded, uptimes mean nothing, and nothing was stored in this boot.
        guard writer.isRecorded else { return }
        // The commit may restart the log, and the first sync of a log opens the directory: see ``Connection/checkpoint(_:)``.
        guard !connection.hasMoved else { return }
        let session = IndexSession(connection: connection)
        let now = environment.now()
        // If this fails, the next boot only distrusts the entries of one minute.
        try? LockTimeout.briefly {
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

    /// The migrations that were applied, oldest first.
    package func ledger() throws -> [LedgerRow] {
        try read { try Self.migrator.ledger(of: $0.connection) }
    }
}
