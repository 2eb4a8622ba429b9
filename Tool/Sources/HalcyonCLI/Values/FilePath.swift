internal import Foundation

/// Paths as the system reads them: it follows the symlink in `link/..` first. `URL` removes both instead, which may name another file.
enum FilePath {
    /// The folder that contains a file.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path without symlinks; nil if nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
