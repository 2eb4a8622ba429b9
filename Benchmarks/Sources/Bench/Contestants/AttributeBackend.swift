import Crypto
import Foundation

/// A plainly written disk cache that keeps its metadata in file dates, for comparison with the library.
///
/// A file is named by the SHA-256 of its key, its creation date is the last access and its modification date the expiration. A set of
/// names, read from the folder after opening, answers "surely not cached".
final class AttributeBackend: @unchecked Sendable {
    // Sendable because the set is behind the lock and the rest is constant.

    private let folder: URL
    private let files = FileManager.default
    private let dates = DispatchQueue(label: "bench.attributes.dates")
    private let lifetime: TimeInterval = 7 * 86_400
    private let lock = NSLock()
    /// nil until the folder has been read.
    private nonisolated(unsafe) var names: Set<String>?

    init(folder: URL) throws {
        self.folder = folder
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        dates.async { [self] in readNames() }
    }

    /// As after an opening, if another process has stored files.
    func rereadNames() { dates.sync { readNames() } }

    private func readNames() {
        // Without the list any name may exist, which is only slower.
        guard let list = try? files.contentsOfDirectory(atPath: folder.path) else { return }
        lock.withLock { names = Set(list).union(names ?? []) }
    }

    /// Waits for pending writes of dates, and for the names.
    func settle() { dates.sync {} }

    func store(_ data: Data, forKey key: String) throws {
        let name = name(ofKey: key)
        let file = folder.appendingPathComponent(name)
        try data.write(to: file)
        try setDates(of: file)
        lock.withLock { _ = names?.insert(name) }
    }

    func value(forKey key: String) throws -> Data? {
        guard let file = validFile(forKey: key) else { return nil }
        let data = try Data(contentsOf: file)
        // If the date cannot be written, the entry expires or is evicted earlier.
        dates.async { [self] in try? setDates(of: file) }
        return data
    }

    func isCached(forKey key: String) -> Bool { validFile(forKey: key) != nil }

    func totalSize() throws -> Int {
        try list([.fileSizeKey]).reduce(0) { $0 + ($1.values.fileSize ?? 0) }
    }

    func removeExpired() throws {
        let now = Date()
        for file in try list([.isDirectoryKey, .contentModificationDateKey])
        where (file.values.contentModificationDate ?? .distantFuture) < now {
            try remove(file.url)
        }
    }

    /// Removes the least recently used files, until half of the limit is left.
    func evict(limit: Int) throws {
        var total = try totalSize()
        guard total >= limit else { return }
        let found = try list([.isDirectoryKey, .creationDateKey, .fileSizeKey])
        let oldest = found.sorted {
            ($0.values.creationDate ?? .distantPast) < ($1.values.creationDate ?? .distantPast)
        }
        for file in oldest where total > limit / 2 {
            try remove(file.url)
            total -= file.values.fileSize ?? 0
        }
    }

    private func remove(_ file: URL) throws {
        try files.removeItem(at: file)
        lock.withLock { _ = names?.remove(file.lastPathComponent) }
    }

    private func validFile(forKey key: String) -> URL? {
        let name = name(ofKey: key)
        guard lock.withLock({ names?.contains(name) ?? true }) else { return nil }
        let file = folder.appendingPathComponent(name)
        // A file without dates does not exist.
        guard let values = try? file.resourceValues(forKeys: [.contentModificationDateKey, .creationDateKey]),
            let expiration = values.contentModificationDate, expiration > Date()
        else { return nil }
        return file
    }

    /// Whole seconds.
    private func setDates(of file: URL) throws {
        let now = Date()
        let expiration = Date(timeIntervalSince1970: (now.timeIntervalSince1970 + lifetime).rounded(.up))
        try files.setAttributes([.creationDate: now, .modificationDate: expiration], ofItemAtPath: file.path)
    }

    private func name(ofKey key: String) -> String {
        SHA256.hash(data: Data(key.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    private func list(_ keys: Set<URLResourceKey>) throws -> [(url: URL, values: URLResourceValues)] {
        guard
            let walk = files.enumerator(at: folder, includingPropertiesForKeys: Array(keys), options: .skipsHiddenFiles)
        else { return [] }
        return try walk.compactMap { $0 as? URL }.map { ($0, try $0.resourceValues(forKeys: keys)) }
    }
}
