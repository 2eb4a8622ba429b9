import Foundation
import Halcyon

/// The library, through its public API.
final class HalcyonCache {
    let folder: URL
    private var open: DiskStorage.Backend<Data>?

    init(folder: URL) { self.folder = folder }

    /// Opened on demand.
    func storage() throws -> DiskStorage.Backend<Data> {
        if let open { return open }
        let storage = try DiskStorage.Backend<Data>(config: Self.config(folder))
        open = storage
        return storage
    }

    /// With its own memory storage, without a limit. It keeps the storage open.
    func imageCache() throws -> ImageCache {
        ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 0, cleanInterval: 0)),
            diskStorage: try storage())
    }

    static func config(_ folder: URL) -> DiskStorage.Config {
        // With its own folder, so that the measurement does not include Foundation's search for the user's caches.
        var config = DiskStorage.Config(name: "bench", sizeLimit: 0, directory: folder)
        config.cachePathBlock = { _, _ in folder }
        return config
    }

    /// Closes it and waits until it is closed: the last connection deletes the write-ahead log.
    func close() {
        // A process that has just ended may have left its log.
        if open == nil, isOpen { try? flush() }
        open = nil
        wait(seconds: 60) { !isOpen }
        require(!isOpen)
    }

    /// Also while it is being closed.
    var isOpen: Bool { FileManager.default.fileExists(atPath: "\(indexPath)-wal") }

    /// Waits until nothing is left to unlink, because deferred work must not run during another contestant's turn.
    func settle() {
        let places = ["staging", "trash"].map { folder.appendingPathComponent(".halcyon/\($0)").path }
        // A missing folder is empty.
        wait { places.allSatisfy { (try? FileManager.default.contentsOfDirectory(atPath: $0))?.isEmpty ?? true } }
    }

    /// Writes what is pending into the index, and the log into its file.
    func flush() throws {
        let storage = try storage()
        storage.suspend()
        storage.resume()
    }

    var indexPath: String { folder.appendingPathComponent(".halcyon/index.sqlite").path }

    var indexSize: Int {
        var status = stat()
        return stat(indexPath, &status) == 0 ? Int(status.st_size) : 0
    }

    private func wait(seconds: Double = 10, until isDone: () -> Bool) {
        let begin = now()
        while !isDone(), now() - begin < seconds * 1e6 { usleep(500) }
    }
}
