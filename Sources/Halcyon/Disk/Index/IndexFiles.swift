internal import Foundation

/// The files of the index, and checks of what is at their paths.
struct IndexFiles: Sendable {
    let database: String
    let fileSystem: any FileSystem

    let log: String
    let sharedMemory: String
    /// The database, its log and its shared memory.
    let paths: [String]
    let folder: String
    /// The path at which the last damaged index is kept.
    var damaged: String { database + ".damaged" }
    /// The path at which an index is kept that a newer version wrote and this one cannot use.
    var newer: String { database + ".newer" }

    init(database: String, fileSystem: any FileSystem) {
        (self.database, log, sharedMemory) = (database, database + "-wal", database + "-shm")
        paths = [database, log, sharedMemory]
        folder = (database as NSString).deletingLastPathComponent
        self.fileSystem = fileSystem
    }

    /// Device and inode.
    struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    func identity(of path: String) throws(SystemError) -> Identity? {
        try status(at: path).map { Identity(device: $0.device, inode: $0.inode) }
    }

    /// Throws for an item that SQLite would follow out of the directory (a symlink), wait for (a pipe), or write to although it
    /// is also a file elsewhere (a hard link).
    func requireOwnFiles() throws { try require { $0.kind == .regular && $0.links <= 1 } }

    /// Like ``requireOwnFiles()``, for reading, where a hard link does no harm.
    func requireFiles() throws { try require { $0.kind == .regular } }

    /// Whether a set-aside index and the files that SQLite opens with it are regular files without other hard links.
    func areOwn(beside path: String) throws -> Bool {
        try ["", "-journal", "-wal", "-shm"].allSatisfy { suffix in
            guard let file = try status(at: path + suffix) else { return suffix != "" }
            return file.kind == .regular && file.links <= 1
        }
    }

    private func require(_ isAccepted: (FileStatus) -> Bool) throws {
        try requireShortPath()
        // A symlink in place of our directory leads to files of others.
        if let folder = try status(at: folder), folder.kind != .directory {
            throw CacheStorageError(
                .blockedName, "“.halcyon” exists but is not a directory.",
                remedy: "Move it out of the cache directory.")
        }
        for suffix in ["", "-journal", "-wal", "-shm"] {
            guard let file = try status(at: database + suffix), !isAccepted(file) else { continue }
            let isLinked = file.kind == .regular
            throw CacheStorageError(
                .blockedName,
                "“.halcyon/index.sqlite\(suffix)” \(isLinked ? "has another hard link" : "is not a regular file").",
                remedy: isLinked
                    ? "Delete the other link, or replace this one by a copy of the file."
                    : "Move it out of the cache directory.")
        }
    }

    /// SQLite does not open longer paths (MAX_PATHNAME in os_unix.c), and does not report why. It resolves symlinks first.
    private func requireShortPath() throws(SystemError) {
        func isShort(_ path: String) -> Bool { path.utf8.count + "-journal".utf8.count <= 512 }
        guard !isShort(database) else { return }
        guard let folder = realpath(folder, nil) else { throw SystemError("realpath", errno) }
        defer { free(folder) }
        guard isShort("\(String(cString: folder))/index.sqlite") else { throw SystemError("open", ENAMETOOLONG) }
    }

    /// nil if the path is missing.
    func status(at path: String) throws(SystemError) -> FileStatus? {
        try fileSystem.statusIfPresent(at: path)
    }

    /// Deletes an index that was set aside, because keys are private. The database comes last, so that the next call finishes an
    /// interrupted deletion.
    func remove(_ kept: String) throws(SystemError) {
        for suffix in ["-journal", "-wal", "-shm"] { try? fileSystem.unlink(kept + suffix) }
        try fileSystem.unlink(kept)
    }

    /// Renames an unusable index, so that you can inspect it and a new one can take its place.
    func setAside(as kept: String) throws(SystemError) {
        for suffix in ["-wal", "-shm", ""] {
            do throws(SystemError) {
                try fileSystem.rename(database + suffix, to: kept + suffix)
            } catch  where error.isMissing {
                // A file that an earlier index left at this path does not belong to this one.
                try? fileSystem.unlink(kept + suffix)
            } catch  where !suffix.isEmpty && [EISDIR, EEXIST, ENOTEMPTY].contains(error.code) {
                // A folder has the name. The log has been copied into the file.
                try? fileSystem.unlink(database + suffix)
            }
        }
    }
}
