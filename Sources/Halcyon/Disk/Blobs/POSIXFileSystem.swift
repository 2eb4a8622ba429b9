internal import CHalcyonSystem
package import Foundation

/// The real file system. Repeats a call that a signal interrupted.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func makeDirectory(_ path: String, isPrivate: Bool) throws(SystemError) {
        _ = try checked("mkdir", path) { mkdir($0, isPrivate ? 0o700 : 0o777) }
    }

    package func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        try checked("open", path) { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    }

    /// Whether another process holds a lock on a file. Do not use it for a file that this process has locked: closing it releases
    /// those locks.
    func isLockedElsewhere(_ path: String) throws(SystemError) -> Bool {
        let file = try openForReading(path)
        defer { Foundation.close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = try checked("fcntl") { fcntl(file, F_GETLK, &lock) }
        return lock.l_type != Int16(F_UNLCK)
    }

    package func createFile(_ path: String) throws(SystemError) -> FileDescriptor {
        try checked("open", path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    package func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try checked("read") { Foundation.read(file, buffer.baseAddress, min(buffer.count, largestTransfer)) }
    }

    package func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try checked("write") { Foundation.write(file, bytes.baseAddress, min(bytes.count, largestTransfer)) }
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        var status = stat()
        _ = try checked("fstat") { fstat(file, &status) }
        return FileStatus(status)
    }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        var status = stat()
        _ = try checked("lstat", path) { lstat($0, &status) }
        return FileStatus(status)
    }

    package func setModified(
        _ time: Timestamp, microseconds: Int, of file: FileDescriptor
    ) throws(SystemError) {
        // Both dates, because a FUSE file system may ignore the change of one alone.
        let accessed = timespec(tv_sec: 0, tv_nsec: Int(presentTime))
        let modified = timespec(
            tv_sec: FileDate.seconds(ofMilliseconds: time.milliseconds),
            tv_nsec: Int(time.milliseconds % 1000) * 1_000_000 + microseconds * 1_000)
        _ = try checked("futimens") {
            withUnsafePointer(to: (accessed, modified)) { pair in
                pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(file, $0) }
            }
        }
    }

    package func protect(_ path: String, as protection: FileProtectionType) throws(SystemError) {
        try FileFlags.protect(path, as: protection)
    }

    package func makePrivate(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try checked("fchmodat") { fchmodat(AT_FDCWD, path, 0o600, AT_SYMLINK_NOFOLLOW) }
        } catch  where error.isUnsupported {
            // glibc before 2.32 does not support AT_SYMLINK_NOFOLLOW here.
            guard try status(at: path).kind == .regular else { throw error }
            _ = try checked("chmod") { chmod(path, 0o600) }
        }
    }

    package func close(_ file: FileDescriptor) { try? closeWritten(file) }

    package func closeWritten(_ file: FileDescriptor) throws(SystemError) {
        guard Foundation.close(file) == -1 else { return }
        let code = errno
        // Not repeated after EINTR: the descriptor is closed by then, and another thread may already have got its number.
        guard code == EINTR else { throw SystemError("close", code) }
    }

    package func rename(_ source: String, to target: String) throws(SystemError) {
        _ = try checked("rename", source) { source in target.withCString { Foundation.rename(source, $0) } }
    }

    package func exchange(_ first: String, _ second: String) throws(SystemError) {
        _ = try checked("renameat2", first) { first in second.withCString { halcyon_exchange(first, $0) } }
    }

    package func link(_ existing: String, to new: String) throws(SystemError) {
        // Not `link`, which on Apple's systems follows a symbolic link.
        _ = try checked("linkat") { linkat(AT_FDCWD, existing, AT_FDCWD, new, 0) }
    }

    package func unlink(_ path: String) throws(SystemError) {
        _ = try checked("unlink", path) { Foundation.unlink($0) }
    }

    package func removeDirectory(_ path: String) throws(SystemError) {
        _ = try checked("rmdir", path) { rmdir($0) }
    }

    package func list(_ path: String, _ body: (String) throws -> Bool) throws {
        guard let directory: DirectoryHandle = opendir(path) else { throw SystemError("opendir", errno) }
        defer { closedir(directory) }
        while let name = try nextName(in: directory) {
            guard name != ".", name != ".." else { continue }
            guard try body(name) else { return }
        }
    }

    package func volume(at path: String) throws(SystemError) -> Volume {
        #if canImport(Darwin)
            var status = statfs()
            _ = try checked("statfs") { statfs(path, &status) }
            return Volume(status)
        #else
            return Volume(magic: try checked("statfs") { halcyon_file_system_type(path) })
        #endif
    }

    package var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(time)
    }

    package func freeBytes(at path: String) throws(SystemError) -> Int64 {
        #if canImport(Darwin)
            // `statvfs` has 32 bits for the number of blocks there.
            var status = statfs()
            _ = try checked("statfs") { statfs(path, &status) }
            let (blocks, size) = (Int64(clamping: status.f_bavail), Int64(clamping: status.f_bsize))
        #else
            var status = statvfs()
            _ = try checked("statvfs") { statvfs(path, &status) }
            let (blocks, size) = (Int64(clamping: status.f_bavail), Int64(clamping: status.f_frsize))
        #endif
        // A volume without a size, such as ramfs.
        guard status.f_blocks > 0 else { throw SystemError("statfs", ENOTSUP) }
        let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: size)
        return isTooMany ? .max : bytes
    }
}

#if canImport(Darwin)
    private typealias DirectoryHandle = UnsafeMutablePointer<DIR>
    private let presentTime = UTIME_NOW
#else
    private typealias DirectoryHandle = OpaquePointer
    /// `UTIME_NOW` of <sys/stat.h>, a macro that Swift cannot import.
    private let presentTime = (1 << 30) - 1
#endif

/// macOS refuses transfers above 2 GiB, and Linux cuts them off there.
private let largestTransfer = 1 << 30

private func nextName(in directory: DirectoryHandle) throws(SystemError) -> String? {
    errno = 0
    guard let entry = readdir(directory) else {
        guard errno == 0 else { throw SystemError("readdir", errno) }
        return nil
    }
    return withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
            String(cString: $0)
        }
    }
}

/// Passes the path's own bytes. Swift's conversion of a string to a pointer copies it.
private func checked<Value: SignedInteger>(
    _ call: String, _ path: String, _ body: (UnsafePointer<CChar>) -> Value
) throws(SystemError) -> Value {
    try checked(call) { path.withCString(body) }
}

private func checked<Value: SignedInteger>(_ call: String, _ body: () -> Value) throws(SystemError) -> Value {
    while true {
        let value = body()
        guard value == -1 else { return value }
        let code = errno
        guard code == EINTR else { throw SystemError(call, code) }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
            let created: Timestamp? = Timestamp(status.st_birthtimespec)
        #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
            let created: Timestamp? = nil
        #endif
        // A block has 512 bytes. The shift does not trap if a file system reports nonsense. Before 1970, APFS's nanoseconds are
        // negative.
        self.init(
            kind: Kind(mode: status.st_mode), device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino), size: Int64(status.st_size), allocatedSize: Int64(status.st_blocks) << 9,
            modified: Timestamp(modified), modifiedMicroseconds: max(0, Int(modified.tv_nsec) / 1000 % 1000),
            created: created,
            changed: Timestamp(changed), links: Int(status.st_nlink))
    }
}

extension FileStatus.Kind {
    fileprivate init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        default: self = .other
        }
    }
}

extension Timestamp {
    fileprivate init(_ time: timespec) {
        self.init(milliseconds: FileDate.milliseconds(ofSeconds: time.tv_sec, nanoseconds: time.tv_nsec))
    }
}

#if canImport(Darwin)
    extension Volume {
        fileprivate init(_ status: statfs) {
            let name = withUnsafeBytes(of: status.f_fstypename) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            self.init(appleName: name, isLocal: status.f_flags & UInt32(MNT_LOCAL) != 0)
        }
    }
#endif
