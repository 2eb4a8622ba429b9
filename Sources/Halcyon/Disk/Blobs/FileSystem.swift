package import Foundation

/// The system calls of the blob store, one function each, so that tests can inject faults.
///
/// No function interprets a failure; its caller does. All are safe from any thread.
package protocol FileSystem: Sendable {
    /// `mkdir`, one level. Mode 0700 if private, otherwise as the umask allows.
    func makeDirectory(_ path: String, isPrivate: Bool) throws(SystemError)
    /// `open` for reading. Never follows a symlink in the last component, and never blocks on a pipe.
    func openForReading(_ path: String) throws(SystemError) -> FileDescriptor
    /// `open` of a new file for writing, mode 0600; EEXIST if there is one.
    func createFile(_ path: String) throws(SystemError) -> FileDescriptor
    /// `read`: the number of bytes read; 0 at the end.
    func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// `write`: the number of bytes written.
    func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    /// `fstat`.
    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
    /// `lstat`.
    func status(at path: String) throws(SystemError) -> FileStatus
    /// `futimens`: the modification time in milliseconds, and microseconds below them. The access time becomes the present one.
    func setModified(_ time: Timestamp, microseconds: Int, of file: FileDescriptor) throws(SystemError)
    /// `fchmodat` to mode 0600, not following symlinks. If the C library opens the file for that, it uses O_PATH: closing such a
    /// descriptor releases no lock.
    func makePrivate(_ path: String) throws(SystemError)
    /// `NSFileProtectionKey`, where the system protects files while the device is locked; otherwise does nothing.
    func protect(_ path: String, as protection: FileProtectionType) throws(SystemError)
    /// `close`. Does not report errors: there is nothing that the caller could do.
    func close(_ file: FileDescriptor)
    /// `close` of a written file. Some network volumes report only here that the bytes cannot be stored.
    func closeWritten(_ file: FileDescriptor) throws(SystemError)
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
    /// `opendir`, `readdir` …: passes each name except `.` and `..` to `body`, in no order, until that returns false.
    func list(_ path: String, _ body: (String) throws -> Bool) throws
    /// `statfs`: the kind of volume that a path is on.
    func volume(at path: String) throws(SystemError) -> Volume
    /// The clock of file dates.
    var now: Timestamp { get }
    /// `statvfs` or `statfs`: bytes available to users other than root.
    func freeBytes(at path: String) throws(SystemError) -> Int64
}

package typealias FileDescriptor = Int32

extension FileSystem {
    /// ``status(at:)``; nil if there is no file.
    func statusIfPresent(at path: String) throws(SystemError) -> FileStatus? {
        do throws(SystemError) {
            return try status(at: path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }
}
