/// The files of the index and whether they are still the ones that were opened.
struct IndexFiles: Sendable {
    let database: String
    let fileSystem: any FileSystem

    var log: String { database + "-wal" }
    var sharedMemory: String { database + "-shm" }
    /// Where a damaged index is kept, the newest one only.
    var damaged: String { database + ".damaged" }
    /// Where one is kept that a newer version wrote and this one cannot use.
    var newer: String { database + ".newer" }

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
        do throws(SystemError) {
            let status = try fileSystem.status(at: path)
            return Identity(device: status.device, inode: status.inode)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Refuses what SQLite would follow out of the folder (a link), wait for (a pipe), or write into although it is somebody's
    /// file elsewhere (a second name).
    func requireOwnFiles() throws {
        for suffix in ["", "-journal", "-wal", "-shm"] where try !isOwnFile(database + suffix) {
            throw CacheStorageError(
                .blockedName,
                "What is called .halcyon/index.sqlite\(suffix) is no file, or has a second name elsewhere.",
                remedy: "Move it out of the cache's folder.")
        }
    }

    /// Or none.
    private func isOwnFile(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let file = try fileSystem.status(at: path)
            return file.kind == .regular && file.links <= 1
        } catch {
            guard error.isMissing else { throw error }
            return true
        }
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
