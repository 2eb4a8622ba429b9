internal import Foundation

/// A file whose contents are replaced atomically if its directory allows it: a reader sees either the old contents or the new.
struct ReplacedFile {
    let path: String

    /// - Throws: ``Failure``, and leaves the file unchanged.
    func write(_ bytes: Data) throws {
        var status = stat()
        let exists = stat(path, &status) == 0
        switch exists ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG: try replace(mode: exists ? status.st_mode & 0o777 : nil, with: bytes)
        case S_IFDIR: throw Failure("\(path) is a folder. Give the path of a file.")
        // A device or a pipe cannot be replaced by a rename.
        default: try write(bytes, to: open(path, O_WRONLY | O_CLOEXEC))
        }
    }

    /// - Parameter mode: the permissions of the existing file.
    private func replace(mode: mode_t?, with bytes: Data) throws {
        // A symlink stays a symlink: its target is replaced.
        let target = mode == nil ? path : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let url = URL(fileURLWithPath: target)
        let aside = url.deletingLastPathComponent()
            .appendingPathComponent(".\(UInt64.random(in: 0...UInt64.max)).halcyon-part").path
        do {
            let file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            // In a directory that cannot be changed, an existing file can only be overwritten.
            if file < 0, mode != nil { return try write(bytes, to: open(target, O_WRONLY | O_TRUNC | O_CLOEXEC)) }
            if let mode, file >= 0 { fchmod(file, mode) }
            try write(bytes, to: file)
            guard rename(aside, target) == 0 else { throw failure }
        } catch {
            unlink(aside)
            throw error
        }
    }

    private func write(_ bytes: Data, to file: Int32) throws {
        guard file >= 0 else { throw failure }
        defer { close(file) }
        try bytes.withUnsafeBytes { try Output.write($0, to: file, name: path) }
    }

    private var failure: Failure { Failure("Cannot write \(path): \(Errno.text). Give another path.") }
}
