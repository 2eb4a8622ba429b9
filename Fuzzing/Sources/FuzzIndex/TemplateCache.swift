import Foundation
import Halcyon

/// A sound cache, kept in memory: each input damages a copy of it.
final class TemplateCache: @unchecked Sendable {
    // Sendable because there is one thread.
    let blobs: [String: Data]
    private let root: URL
    private let index: Data
    private let log: Data
    private let names: [String: String]

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-fuzz-\(getpid())")
        blobs = Dictionary(
            uniqueKeysWithValues: (0..<8).map {
                ("https://example.com/\($0).jpg", Data(repeating: UInt8($0), count: 100 + $0))
            })
        let storage = try DiskStorage.Backend<Data>(config: Self.config(in: root))
        for (key, data) in blobs { try storage.store(value: data, forKey: key) }
        // Created at the first use, so that its tables have rows too.
        _ = try storage.entries(sortedBy: .key)
        try storage.update(DiskStorage.EntryAttributes(tags: ["a", "b"]), forKey: "https://example.com/1.jpg")
        names = blobs.reduce(into: [:]) { $0[$1.key] = storage.cacheFileURL(forKey: $1.key).lastPathComponent }
        // While it is open, the latest changes are in the log.
        let place = Self.indexURL(in: root)
        index = try Data(contentsOf: place)
        log = try Data(contentsOf: URL(fileURLWithPath: place.path + "-wal"))
    }

    static func config(in root: URL) -> DiskStorage.Config {
        DiskStorage.Config(name: "fuzz", sizeLimit: 400, directory: root)
    }

    private static func indexURL(in root: URL) -> URL {
        folder(in: root).appendingPathComponent(".halcyon/index.sqlite")
    }

    private static func folder(in root: URL) -> URL {
        root.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.fuzz")
    }

    /// A new folder each time, in place of the previous one.
    func makeFolder(with damage: DamagedIndex) throws -> URL {
        let copy = root.appendingPathComponent("copy")
        try? FileManager.default.removeItem(at: copy)
        let place = Self.indexURL(in: copy)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        var (index, log) = (index, log)
        damage.apply(to: &index, log: &log)
        try index.write(to: place)
        try log.write(to: URL(fileURLWithPath: place.path + "-wal"))
        for (key, data) in blobs {
            try data.write(to: Self.folder(in: copy).appendingPathComponent(names[key] ?? key))
        }
        return copy
    }
}
