internal import Foundation
internal import HalcyonSQLite

/// What opening a cache directory would do to it, determined without doing it.
@_spi(HalcyonTool) public struct UpgradePlan: Equatable, Sendable {
    /// nil if there is no index yet.
    public var schemaVersion: Int?
    public var newestVersion = EntryIndex.migrator.newestVersion
    /// File names of the migrations that would be applied.
    public var migrations: [String] = []
    /// Whether a newer version has written the index and does not let this one use it.
    public var isTooNew = false
    /// Whether files without a row are being adopted, or will be.
    public var isAdopting = true
    /// The number of files, by the form of their names.
    public var blobs = 0
    public var legacyBlobs = 0
    public var foreignFiles = 0

    /// - Throws: ``CacheStorageError`` if the directory or the index cannot be read.
    public init(folder: String, namesAreHashed: Bool = true) throws {
        let files = BlobStore(directory: folder, fileSystem: POSIXFileSystem())
        do {
            try files.forEachName { name in
                count(name, namesAreHashed: namesAreHashed)
                return true
            }
            if try files.status(at: files.indexPath)?.kind == .regular { try read(files.indexPath) }
        } catch {
            throw CacheStorageError(error)
        }
        let first = schemaVersion ?? 0
        if first < newestVersion { migrations = EntryIndex.migrator.migrations[first...].map(\.name) }
    }

    /// Whether opening the index now would migrate it while another process has it open. An app of an older version could then
    /// store nothing more. Do not call it in a process that has opened the cache itself.
    ///
    /// - Throws: ``CacheStorageError`` if the index cannot be read.
    public static func wouldMigrateIndexInUse(at folder: String) throws -> Bool {
        let index = BlobStore(directory: folder, fileSystem: POSIXFileSystem()).indexPath
        do {
            guard try POSIXFileSystem().statusIfPresent(at: index)?.kind == .regular else { return false }
            var version = 0
            try withUntouched(index) { version = try EntryIndex.migrator.userVersion(of: $0) }
            guard version > 0, version < EntryIndex.migrator.newestVersion else { return false }
            return try POSIXFileSystem().isLockedElsewhere(index)
        } catch {
            throw CacheStorageError(error)
        }
    }

    private mutating func count(_ name: String, namesAreHashed: Bool) {
        if BlobName.isBlobName(name, isHashed: namesAreHashed) {
            blobs += 1
        } else if namesAreHashed, BlobName.isLegacyName(name) {
            legacyBlobs += 1
        } else if name != BlobStore.metadataFolder {
            foreignFiles += 1
        }
    }

    private mutating func read(_ path: String) throws {
        try Self.withUntouched(path) { try read($0) }
        // Version 1 did not adopt them.
        if schemaVersion == 1, !isTooNew, legacyBlobs > 0 { isAdopting = true }
    }

    private mutating func read(_ connection: Connection) throws {
        let ledger = try EntryIndex.migrator.ledger(of: connection)
        schemaVersion = try EntryIndex.migrator.userVersion(of: connection)
        isTooNew = !ledger.allSatisfy { $0.oldestReader <= newestVersion }
        guard let version = schemaVersion, version > 0, !isTooNew else { return }
        isAdopting = try connection.texts(IndexSQL.adoption) != [Adoption.done.rawValue]
        if version > 1, try connection.integer(IndexSQL.legacyNames) == 2 {
            isAdopting = true
        }
    }

    /// Reads the index and its log without changing any file.
    private static func withUntouched(_ path: String, _ body: (Connection) throws -> Void) throws {
        let deadline = MonotonicTime.now.adding(milliseconds: 1_000)
        while true {
            do {
                return try withUntouchedOnce(path, body)
            } catch  where !(error is CacheStorageError) && MonotonicTime.now < deadline {
                // Another process may have opened or closed the index between two steps.
                usleep(1_000)
            }
        }
    }

    private static func withUntouchedOnce(_ path: String, _ body: (Connection) throws -> Void) throws {
        let fileSystem = POSIXFileSystem()
        try IndexFiles(database: path, fileSystem: fileSystem).requireFiles()
        func has(_ suffix: String) -> Bool { (try? fileSystem.status(at: path + suffix))?.size ?? 0 > 0 }
        let isLogged = has("-wal")
        guard isLogged, !has("-shm") else {
            return try body(Connection(path: path, access: .untouched(isLogged: isLogged), busyTimeout: 1000))
        }
        // A crash has left a log without its shared memory, which SQLite would have to create. So it reads a copy.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-\(UUID().uuidString)")
        // The copy has keys, and other users may read the temporary directory.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent("index.sqlite").path
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        try body(Connection(path: copy, access: .queryOnly, busyTimeout: 1000))
    }
}
