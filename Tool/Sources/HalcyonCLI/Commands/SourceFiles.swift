internal import Foundation

/// The files passed to `put`, including those in folders, in a fixed order.
struct SourceFiles {
    /// Paths as passed, which are also the keys.
    private(set) var files: [String] = []
    /// A message for each path that cannot be stored.
    private(set) var failures: [String] = []
    private let cacheFolder: String

    /// - Parameter cacheFolder: never stored, even if it is inside one of the folders.
    init(_ paths: [String], leavingOut cacheFolder: URL) {
        self.cacheFolder = FilePath.resolved(cacheFolder.path) ?? cacheFolder.path
        for path in paths {
            if Self.isFolder(path) { addFolder(path) } else { addFile(path) }
        }
    }

    /// Follows a symlink, because the user named it.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private mutating func addFile(_ path: String) {
        do {
            guard try Self.kind(of: path, by: { stat($0, $1) }) == S_IFREG else {
                failures.append(
                    "Cannot store \(path): it is no regular file. To store what a command prints, pipe it into "
                        + "‘halcyon put --key KEY -’.")
                return
            }
            files.append(path)
        } catch {
            failures.append("Cannot store \(path): \(error.reason).")
        }
    }

    /// Skips hidden files, and anything that is not a regular file or a folder. Skips symlinks too, because they may form cycles.
    private mutating func addFolder(_ path: String) {
        guard FilePath.resolved(path)?.utf8.elementsEqual(cacheFolder.utf8) != true else { return }
        let prefix = path.hasSuffix("/") ? path : path + "/"
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            where name.utf8.first != UInt8(ascii: ".") {
                add(prefix + name)
            }
        } catch {
            failures.append("Cannot list the folder \(path): \(error.reason).")
        }
    }

    private mutating func add(_ path: String) {
        do {
            switch try Self.kind(of: path, by: lstat) {
            case S_IFREG: files.append(path)
            case S_IFDIR: addFolder(path)
            default: break
            }
        } catch {
            // Foundation replaces bytes that are not UTF-8. Otherwise the file was deleted meanwhile.
            let reason =
                path.contains("\u{FFFD}") ? "its name is not UTF-8, so it cannot be a key. Rename it" : error.reason
            failures.append("Cannot store \(path): \(reason).")
        }
    }

    /// Not by Foundation, which also looks up the names of owner and group, for each file.
    private static func kind(
        of path: String, by look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
    ) throws -> mode_t {
        var status = stat()
        guard look(path, &status) == 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
        return status.st_mode & S_IFMT
    }

    static func read(_ path: String) throws -> Data {
        do {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
            return try FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() ?? Data()
        } catch {
            throw Failure("Cannot read \(path): \(error.reason).")
        }
    }
}
