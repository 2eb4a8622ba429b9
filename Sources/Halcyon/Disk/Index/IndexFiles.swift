internal import Foundation

/// The files of the index and whether they are still the ones that were opened.
struct IndexFiles: Sendable {
    let database: String
    let fileSystem: any FileSystem

    let log: String
    let sharedMemory: String
    private let folder: String
    /// Where a damaged index is kept, the newest one only.
    var damaged: String { database + ".damaged" }
    /// Where one is kept that a newer version wrote and this one cannot use.
    var newer: String { database + ".newer" }

    init(database: String, fileSystem: any FileSystem) {
        (self.database, log, sharedMemory) = (database, database + "-wal", database + "-shm")
        folder = (database as NSString).deletingLastPathComponent
        self.fileSystem = fileSystem
    }

    /// Device and inode.
    struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    /// What stands under the names of the log and of its shared memory; nil for none.
    struct LogIdentity: Equatable {
        let log: Identity?
        let sharedMemory: Identity?
    }

    func identity(of path: String) throws(SystemError) -> Identity? {
        try status(at: path).map { Identity(device: $0.device, inode: $0.inode) }
    }

    /// Refuses what SQLite would follow out of the folder (a link), wait for (a pipe), or write into although it is somebody's
    /// file elsewhere (a second name).
    func requireOwnFiles() throws { try require { $0.kind == .regular && $0.links <= 1 } }

    /// For those who only read: a second name does no harm then.
    func requireFiles() throws { try require { $0.kind == .regular } }

    /// Whether a set-aside index and all that SQLite opens with it are files, each with one name.
    func areOwn(beside path: String) -> Bool {
        ["", "-journal", "-wal", "-shm"].allSatisfy { suffix in
            guard let file = try? status(at: path + suffix) else { return suffix != "" }
            return file.kind == .regular && file.links <= 1
        }
    }

    private func require(_ isAccepted: (FileStatus) -> Bool) throws {
        // A link in the place of our folder leads to somebody else's files.
        if let folder = try status(at: folder), folder.kind != .directory {
            throw CacheStorageError(
                .blockedName, "What is called .halcyon is no folder.", remedy: "Move it out of the cache's folder.")
        }
        for suffix in ["", "-journal", "-wal", "-shm"] {
            guard let file = try status(at: database + suffix), !isAccepted(file) else { continue }
            throw CacheStorageError(
                .blockedName,
                "What is called .halcyon/index.sqlite\(suffix) is no file, or has a second name elsewhere.",
                remedy: "Move it out of the cache's folder.")
        }
    }

    /// nil when there is none.
    func status(at path: String) throws(SystemError) -> FileStatus? {
        try fileSystem.statusIfPresent(at: path)
    }

    func logIdentity() throws(SystemError) -> LogIdentity {
        LogIdentity(log: try identity(of: log), sharedMemory: try identity(of: sharedMemory))
    }

    /// Renames an index that cannot be used, so that it can be looked at, and a new one takes its place.
    func setAside(as kept: String) throws(SystemError) {
        for suffix in ["-wal", "-shm", ""] {
            do throws(SystemError) {
                try fileSystem.rename(database + suffix, to: kept + suffix)
            } catch {
                guard error.isMissing else { throw error }
                // What an older one left under this name does not belong to this one.
                try? fileSystem.unlink(kept + suffix)
            }
        }
    }
}
