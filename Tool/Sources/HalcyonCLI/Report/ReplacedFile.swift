internal import Foundation

/// A file that gets new contents in one step: whoever reads it has the old ones or the new ones.
struct ReplacedFile {
    let path: String

    /// - Throws: ``Failure``; then the file is as it was.
    func write(_ text: String) throws {
        var status = stat()
        let exists = stat(path, &status) == 0
        switch exists ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG: try replace(mode: exists ? status.st_mode & 0o777 : nil, with: text)
        case S_IFDIR: throw Failure("\(path) is a folder. Give the path of a file.")
        // A device or a pipe has no contents to keep, and no place beside it.
        default: try write(text, to: open(path, O_WRONLY | O_CLOEXEC))
        }
    }

    /// - Parameter mode: who may read the file that is there.
    private func replace(mode: mode_t?, with text: String) throws {
        // A link stays a link: what it leads to is replaced.
        let target = mode == nil ? path : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let url = URL(fileURLWithPath: target)
        let aside = url.deletingLastPathComponent()
            .appendingPathComponent(".\(UInt64.random(in: 0...UInt64.max)).halcyon-part").path
        do {
            let file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if let mode, file >= 0 { fchmod(file, mode) }
            try write(text, to: file)
            guard rename(aside, target) == 0 else { throw failure }
        } catch {
            unlink(aside)
            throw error
        }
    }

    private func write(_ text: String, to file: Int32) throws {
        guard file >= 0 else { throw failure }
        defer { close(file) }
        try Array(text.utf8).withUnsafeBytes { try Output.write($0, to: file, name: path) }
    }

    private var failure: Failure { Failure("Cannot write \(path): \(Errno.text). Give another path.") }
}
