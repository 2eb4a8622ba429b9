internal import Foundation
internal import HalcyonSQLite

/// What opening a cache's folder would do to it, found out without doing it.
package struct UpgradePlan: Equatable, Sendable {
    /// nil: there is no index yet.
    package var schemaVersion: Int?
    package var newestVersion = EntryIndex.migrator.newestVersion
    /// File names of the migrations that would be applied.
    package var migrations: [String] = []
    /// Written by a newer version, which says that this one cannot use it.
    package var isTooNew = false
    /// Whether files without a row are still being taken over, or will be.
    package var isAdopting = true
    /// Files by their names.
    package var blobs = 0
    package var legacyBlobs = 0
    package var strangers = 0

    /// - Throws: ``CacheStorageError`` for a folder or an index that cannot be read.
    package init(folder: String, namesAreHashed: Bool = true) throws {
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
        let connection = try Connection(path: path, access: .queryOnly, busyTimeout: .seconds(1))
        let ledger = try EntryIndex.migrator.ledger(of: connection)
        schemaVersion = try EntryIndex.migrator.userVersion(of: connection)
        isTooNew = !ledger.allSatisfy { $0.oldestReader <= newestVersion }
        guard let version = schemaVersion, version > 0, !isTooNew else { return }
        isAdopting = try connection.texts(IndexSQL.adoption) != [Adoption.done.rawValue]
    }
}
