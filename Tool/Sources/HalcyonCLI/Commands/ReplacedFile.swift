internal import Foundation

/// A file whose contents are replaced. A regular file is replaced atomically, if its directory allows it: a reader sees either the old
/// contents or the new, and after an error the old ones remain.
struct ReplacedFile {
    let path: String

    /// - Throws: ``Failure``.
    func write(_ bytes: Data) throws {
        guard !SourceFiles.isFolder(path) else { throw Failure("\(path) is a folder. Give the path of a file.") }
        var status = stat()
        guard lstat(path, &status) == 0 else { return try replace(nil, with: bytes) }
        switch status.st_mode & S_IFMT {
        case S_IFREG where status.st_nlink == 1 && access(path, W_OK) == 0:
            try replace(status, with: bytes)
        // A symlink, a hard link or a device must stay one, and a file that cannot be written must stay as it is.
        default: try overwrite(with: bytes)
        }
    }

    /// - Parameter existing: the existing file, whose owner, group and permissions remain.
    private func replace(_ existing: stat?, with bytes: Data) throws {
        let aside = FilePath.folder(of: path) + "/.\(UInt64.random(in: 0...UInt64.max)).halcyon-part"
        Self.unlinkAtSignal(aside)
        do {
            let file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            // In a directory that cannot be changed, an existing file can only be overwritten.
            if file < 0, existing != nil { return try overwrite(with: bytes) }
            if let existing, file >= 0 {
                guard fchown(file, existing.st_uid, existing.st_gid) == 0 else {
                    close(file)
                    unlink(aside)
                    return try overwrite(with: bytes)
                }
                fchmod(file, existing.st_mode & 0o777)
            }
            try write(bytes, to: file)
            guard rename(aside, path) == 0 else { throw failure }
        } catch {
            unlink(aside)
            throw error
        }
    }

    // Set before the signal handler that reads it.
    private nonisolated(unsafe) static var unfinished: UnsafeMutablePointer<CChar>?

    /// Unlinks a file if a signal ends the process.
    private static func unlinkAtSignal(_ path: String) {
        unfinished = strdup(path)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let former = signal(number, SIG_IGN)
            // `nohup` sets it to be ignored.
            guard unsafeBitCast(former, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { continue }
            signal(number) { number in
                if let path = ReplacedFile.unfinished { unlink(path) }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    private func overwrite(with bytes: Data) throws {
        try write(bytes, to: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
    }

    private func write(_ bytes: Data, to file: Int32) throws {
        guard file >= 0 else { throw failure }
        defer { close(file) }
        try bytes.withUnsafeBytes { try Output.write($0, to: file, name: path) }
    }

    private var failure: Failure { Failure("Cannot write \(path): \(Errno.text). Give another path.") }
}
