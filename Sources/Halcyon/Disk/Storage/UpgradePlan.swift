internal import Foundation
internal import HalcyonSQLite

/// What opening a cache's folder would do to it, found out without doing it.
@_spi(HalcyonTool) public struct UpgradePlan: Equatable, Sendable {
    /// nil: there is no index yet.
    public var schemaVersion: Int?
    public var newestVersion = EntryIndex.migrator.newestVersion
    /// File names of the migrations that would be applied.
    public var migrations: [String] = []
    /// Written by a newer version, which says that this one cannot use it.
    public var isTooNew = false
    /// Whether files without a row are still being taken over, or will be.
    public var isAdopting = true
    /// Files by their names.
    public var blobs = 0
    public var legacyBlobs = 0
    public var strangers = 0

    /// - Throws: ``CacheStorageError`` for a folder or an index that cannot be read.
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

    /// Whether to open the index now would migrate it under a process that has it open: an app of an older version could store nothing
    /// more. Not to be asked by a process that has opened the cache itself.
    ///
    /// - Throws: ``CacheStorageError`` for an index that cannot be read.
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
            strangers += 1
        }
    }

    private mutating func read(_ path: String) throws {
        try Self.withUntouched(path) { try read($0) }
        // Version 1 has passed over them.
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

    /// Reads the index and its log, and leaves every file as it is.
    private static func withUntouched(_ path: String, _ body: (Connection) throws -> Void) throws {
        let fileSystem = POSIXFileSystem()
        try IndexFiles(database: path, fileSystem: fileSystem).requireFiles()
        func has(_ suffix: String) -> Bool { (try? fileSystem.status(at: path + suffix))?.size ?? 0 > 0 }
        guard has("-wal"), !has("-shm") else {
            return try body(Connection(path: path, access: .untouched(isLogged: has("-wal")), busyTimeout: 1000))
        }
        // Left by a crash, and SQLite would have to make the shared memory: in a copy, then.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-\(UUID().uuidString)")
        // There are keys in it, and others may look into that place.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent("index.sqlite").path
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        try body(Connection(path: copy, access: .queryOnly, busyTimeout: 1000))
    }
}
