/// The system calls the blob store makes, one function each: the seam for faults.
///
/// No function decides anything; what a failed call means is decided by its caller. All are safe from any thread.
package protocol FileSystem: Sendable {
    /// `mkdir`, one level: for this user alone, or for whom the process's umask says.
    func makeDirectory(_ path: String, isPrivate: Bool) throws(SystemError)
    /// `open` for reading: never follows a symbolic link in the last place, never blocks on a pipe.
    func openForReading(_ path: String) throws(SystemError) -> FileDescriptor
    /// `open` of a new file for writing, for this user alone; EEXIST when there is one.
    func createFile(_ path: String) throws(SystemError) -> FileDescriptor
    /// `read`: how many bytes came; 0 at the end.
    func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// `write`: how many bytes went.
    func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    /// `fstat`.
    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
    /// `lstat`.
    func status(at path: String) throws(SystemError) -> FileStatus
    /// `futimens`, modification time only: milliseconds, and microseconds below them.
    func setModified(_ time: Timestamp, microseconds: Int, of file: FileDescriptor) throws(SystemError)
    /// `fchmodat`: for this user alone. It does not follow a symbolic link. Where the C library opens the file for it, it does so
    /// with O_PATH: closing such a descriptor takes no lock away.
    func makePrivate(_ path: String) throws(SystemError)
    /// `NSFileProtectionKey`, where the system protects files while the device is locked; elsewhere nothing.
    func protect(_ path: String, as protection: FileProtection) throws(SystemError)
    /// `close`. Errors are not reported: nothing was promised to be on the disk.
    func close(_ file: FileDescriptor)
    /// `rename`.
    func rename(_ source: String, to target: String) throws(SystemError)
    /// `renameat2(RENAME_EXCHANGE)` or `renamex_np(RENAME_SWAP)`.
    func exchange(_ first: String, _ second: String) throws(SystemError)
    /// `link`.
    func link(_ existing: String, to new: String) throws(SystemError)
    /// `unlink`.
    func unlink(_ path: String) throws(SystemError)
    /// `rmdir`.
    func removeDirectory(_ path: String) throws(SystemError)
    /// `opendir`, `readdir` …: hands over each name but `.` and `..`, in no order, until `body` returns false.
    func list(_ path: String, _ body: (String) throws -> Bool) throws
    /// `statfs`: what kind of volume a path is on.
    func volume(at path: String) throws(SystemError) -> Volume
    /// The clock that files are dated with.
    var now: Timestamp { get }
    /// `statvfs`: bytes that are left for others than the system's administrator.
    func freeBytes(at path: String) throws(SystemError) -> Int64
}

package typealias FileDescriptor = Int32

extension FileSystem {
    /// ``status(at:)``; nil when there is none.
    func statusIfPresent(at path: String) throws(SystemError) -> FileStatus? {
        do throws(SystemError) {
            return try status(at: path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }
}
