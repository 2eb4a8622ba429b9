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
            try IndexFiles(ofCache: folder).readingUntouched(isPatient: true) {
                try read($0, namesAreHashed: namesAreHashed)
            }
            // Version 1 did not adopt them.
            if schemaVersion == 1, !isTooNew, legacyBlobs > 0 { isAdopting = true }
        } catch {
            throw CacheStorageError(error)
        }
        // Opening the index replaces it if the number is negative.
        let first = max(0, schemaVersion ?? 0)
        if first < newestVersion { migrations = EntryIndex.migrator.migrations[first...].map(\.name) }
    }

    /// Whether opening the index now would migrate it while another process has it open. An app of an older version could then
    /// store nothing more. Do not call it in a process that has opened the cache itself.
    ///
    /// - Throws: ``CacheStorageError`` if the index cannot be read.
    public static func wouldMigrateIndexInUse(at folder: String) throws -> Bool {
        let files = IndexFiles(ofCache: folder)
        do {
            // An index that no process has open is not read.
            guard try files.status(at: files.database)?.kind == .regular,
                try POSIXFileSystem().isLockedElsewhere(files.database)
            else {
                return false
            }
            let version = try files.readingUntouched(isPatient: true) { try EntryIndex.migrator.userVersion(of: $0) }
            return version.map { (1..<EntryIndex.migrator.newestVersion).contains($0) } ?? false
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

    private mutating func read(_ connection: Connection, namesAreHashed: Bool) throws {
        let ledger = try EntryIndex.migrator.ledger(of: connection)
        schemaVersion = try EntryIndex.migrator.userVersion(of: connection)
        isTooNew = !ledger.allSatisfy { $0.oldestReader <= newestVersion }
        guard let version = schemaVersion, version > 0, !isTooNew else { return }
        isAdopting = try connection.texts(IndexSQL.adoption) != [Adoption.done.rawValue]
        if version > 1, try connection.integer(IndexSQL.legacyNames) == 2 { isAdopting = true }
        if !namesAreHashed, try connection.integer(IndexSQL.adoptsUntil) ?? 0 > 0 { isAdopting = true }
    }
}
