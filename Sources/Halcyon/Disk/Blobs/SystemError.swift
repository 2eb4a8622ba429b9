internal import Foundation
internal import HalcyonSQLite

/// A failed system call: its name and its `errno`. Has no path, because an unhashed file name is a key.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The C function's name.
    package let call: String
    /// `errno`.
    package let code: Int32

    package init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }

    /// Whether there is no such file. Only these two codes mean that.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    package var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }

    package var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// Whether the volume lacks atomic exchange, or hard links.
    package var isUnsupported: Bool {
        code == EINVAL || code == ENOSYS || code == ENOTSUP || code == EOPNOTSUPP || code == EPERM
    }

    var remedy: String {
        switch code {
        case EACCES: "Give this user read and write permission for the cache directory and the files in it."
        #if canImport(Darwin) && !os(macOS)
            case EPERM:
                "Give this app permission to read and write the cache directory and the files in it. If they are protected, unlock the "
                    + "device."
        #endif
        case EPERM:
            "Give this user read and write permission for the cache directory and the files in it, and make them neither immutable "
                + "nor append-only."
        case ENOTSUP where call == "futimens":
            "The file system does not keep modification dates. Choose a directory on another one."
        case EFBIG: "The value is larger than the file system, or the limit of the process (ulimit -f), allows."
        case ENOMEM where call == "malloc":
            "The value is larger than the free memory. Read it with fileHandle(forKey:)."
        case EROFS: "Choose a directory on a writable volume."
        case EMFILE, ENFILE: "Too many files are open. Close some, or raise the limit."
        case ENAMETOOLONG: "Choose a directory with a shorter path."
        case ENOTDIR, EEXIST: "A file exists in place of a directory. Move it away."
        case EXDEV, EBUSY:
            "Mount the cache directory as a whole: nothing in it can be a mount of its own. A sandbox must allow moves between its "
                + "directories (Landlock: REFER)."
        case ENOENT: "Check that the directory's parent exists."
        default: "Check the disk. Nothing that was stored before is lost."
        }
    }
}

extension Error {
    /// Whether the system or SQLite reports that the volume is full.
    var meansFullDisk: Bool {
        (self as? SystemError)?.isOutOfSpace ?? (self as? SQLiteError)?.isOutOfSpace ?? false
    }
}
