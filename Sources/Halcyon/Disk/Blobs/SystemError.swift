internal import Foundation

/// A system call that failed: which one, and its `errno`. Paths are left out: an unhashed file name is a key.
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

    /// The only two answers that mean "there is no such file".
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    package var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }

    package var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// The volume has no atomic exchange of two files, or no hard links.
    package var isUnsupported: Bool {
        code == EINVAL || code == ENOSYS || code == ENOTSUP || code == EOPNOTSUPP || code == EPERM
    }

    var remedy: String {
        switch code {
        case EACCES, EPERM: "Give this user read and write permission for the cache folder."
        case EROFS: "Choose a folder on a volume that can be written."
        case EMFILE, ENFILE: "Too many files are open: close some, or raise the limit."
        case ENAMETOOLONG: "Choose a folder with a shorter path."
        case ENOTDIR, EEXIST: "A file is where a folder has to be: move it away."
        case ENOENT: "Check that the folder's parent exists."
        default: "Check the disk; nothing that was stored before is lost."
        }
    }
}
