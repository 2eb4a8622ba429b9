internal import Foundation

/// Paths as the system reads them: it follows the symlink in `link/..` first. `URL` removes both instead, which may name another file.
/// The system compares bytes; for Swift, a slash and a combining mark are one character, and `é` equals `e` with an accent.
enum FilePath {
    /// The folder that contains a file.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path of the file that a write creates or changes: follows symlinks, also one to a missing file.
    static func target(of path: String) -> String {
        var path = path
        // As many as Linux follows.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = next.utf8.first == UInt8(ascii: "/") ? next : "\(folder(of: path))/\(next)"
        }
        return path
    }

    /// Whether a resolved path is a folder's, or inside of it.
    static func isResolved(_ path: String, in folder: String) -> Bool {
        "\(path)/".utf8.starts(with: "\(folder)/".utf8)
    }

    /// The path without symlinks; nil if nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
