import Foundation
import HalcyonTestSupport
import Testing

/// Files outside of the cache directory. The cache must not read, write, rename or remove them.
///
/// They have names and contents that a cache would clean up if it were led there: blobs in a trash, old staged files, an index.
struct Canary {
    let root: URL
    private let contents: [String: Data]
    private let before: [String: Fingerprint]

    init(in folder: URL) throws {
        root = folder.appendingPathComponent("outside")
        try Self.fill(root)
        contents = try Self.files(in: root).reduce(into: [:]) { contents, path in
            contents[path] = try Data(contentsOf: folder.appendingPathComponent(path))
        }
        Self.forgetReads(in: root)
        before = try Self.fingerprints(of: root)
    }

    var file: URL { root.appendingPathComponent("precious") }
    var database: URL { root.appendingPathComponent("index.sqlite") }

    private static func fill(_ root: URL) throws {
        for place in ["staging", "trash", "folder"] {
            let folder = root.appendingPathComponent(place)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in ["1.2", "3.4", "notes"] { try Data.blob(7).write(to: folder.appendingPathComponent(name)) }
        }
        try Data.blob(8).write(to: root.appendingPathComponent("precious"))
        try Data.blob(9).write(to: root.appendingPathComponent(String(repeating: "a", count: 64)))
        // Another application's database.
        try Data("SQLite format 3\0, and somebody's rows".utf8).write(to: root.appendingPathComponent("index.sqlite"))
    }

    // MARK: Looking

    /// The properties of a file that are visible without touching it.
    private struct Fingerprint: Equatable {
        let mode: mode_t
        let owner: uid_t
        let inode: UInt64
        let size: Int
        let modified: [Int]
        /// The time of access, if the volume records it: the first read after ``forgetReads(in:)`` changes it.
        var read: [Int]

        init(_ path: String) throws {
            var status = stat()
            try #require(lstat(path, &status) == 0, "\(path) is gone")
            (mode, owner, inode, size) = (status.st_mode, status.st_uid, UInt64(status.st_ino), Int(status.st_size))
            #if canImport(Darwin)
                modified = [Int(status.st_mtimespec.tv_sec), Int(status.st_mtimespec.tv_nsec)]
                read = [Int(status.st_atimespec.tv_sec)]
            #else
                modified = [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
                read = [Int(status.st_atim.tv_sec)]
            #endif
        }
    }

    /// Requires that everything is unchanged and that the cache has read nothing.
    ///
    /// - Parameter mayBeRead: names of files that have a hard link in the cache's folder, and may therefore be read.
    func requireUntouched(
        exceptReads mayBeRead: Set<String> = [], _ comment: @autoclosure () -> String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var now = try Self.fingerprints(of: root)
        for name in mayBeRead { now["outside/\(name)"]?.read = before["outside/\(name)"]?.read ?? [] }
        #expect(now == before, "\(comment())", sourceLocation: location)
        for (path, data) in contents {
            let found = try Data(contentsOf: root.deletingLastPathComponent().appendingPathComponent(path))
            #expect(found == data, "\(path), \(comment())", sourceLocation: location)
        }
        Self.forgetReads(in: root)
    }

    private static func fingerprints(of root: URL) throws -> [String: Fingerprint] {
        let parent = root.deletingLastPathComponent().path
        var found = ["outside": try Fingerprint(root.path)]
        // Before the folder is listed below, because that is a read too.
        for path in try all(in: root) { found[path] = try Fingerprint("\(parent)/\(path)") }
        return found
    }

    /// Known names: listing the folders would be a read.
    private static func all(in root: URL) throws -> [String] {
        let folders = ["staging", "trash", "folder"]
        let inner = folders.flatMap { folder in ["1.2", "3.4", "notes"].map { "outside/\(folder)/\($0)" } }
        return folders.map { "outside/\($0)" } + inner + files(at: root)
    }

    private static func files(at root: URL) -> [String] {
        ["precious", String(repeating: "a", count: 64), "index.sqlite"].map { "outside/\($0)" }
    }

    private static func files(in root: URL) throws -> [String] {
        try all(in: root).filter { !["outside/staging", "outside/trash", "outside/folder"].contains($0) }
    }

    /// Sets the access times back, so that the next read shows.
    private static func forgetReads(in root: URL) {
        let parent = root.deletingLastPathComponent().path
        for path in ((try? all(in: root)) ?? []) + ["outside"] {
            var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: omitted)]
            _ = utimensat(AT_FDCWD, "\(parent)/\(path)", &times, 0)
        }
    }

    /// Requires that nothing was created next to the known files.
    func requireNothingNew(_ comment: @autoclosure () -> String, _ location: SourceLocation = #_sourceLocation) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).map { "outside/\($0)" }
        #expect(Set(names) == Set(try Self.all(in: root)), "\(comment())", sourceLocation: location)
        Self.forgetReads(in: root)
    }
}

#if canImport(Darwin)
    private let omitted = Int(UTIME_OMIT)
#else
    /// `UTIME_OMIT` of <sys/stat.h>, a macro Swift cannot see.
    private let omitted = (1 << 30) - 2
#endif
