import Foundation
import Halcyon

/// The library, through what everybody may call.
final class HalcyonCache {
    let folder: URL
    private var open: DiskStorage.Backend<Data>?

    init(folder: URL) { self.folder = folder }

    /// Opened when it is needed.
    func storage() throws -> DiskStorage.Backend<Data> {
        if let open { return open }
        let storage = try DiskStorage.Backend<Data>(config: Self.config(folder))
        open = storage
        return storage
    }

    /// With a memory storage of its own, without a limit. It keeps the storage open.
    func imageCache() throws -> ImageCache {
        ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 0, cleanInterval: 0)),
            diskStorage: try storage())
    }

    static func config(_ folder: URL) -> DiskStorage.Config {
        // With a folder of its own: to ask Foundation for the user's caches is not what is measured.
        var config = DiskStorage.Config(name: "bench", sizeLimit: 0, directory: folder)
        config.cachePathBlock = { _, _ in folder }
        return config
    }

    /// Closes it, and waits until that has happened: the last connection takes the write-ahead log away.
    func close() {
        // A process that has just ended has left its log to the next one.
        if open == nil, isOpen { try? flush() }
        open = nil
        wait(seconds: 60) { !isOpen }
        require(!isOpen)
    }

    /// Also while it is being closed.
    var isOpen: Bool { FileManager.default.fileExists(atPath: "\(indexPath)-wal") }

    /// Waits until nothing is left to unlink: what the library puts off must not be done during another's turn.
    func settle() {
        let places = ["staging", "trash"].map { folder.appendingPathComponent(".halcyon/\($0)").path }
        // A folder that is not there has nothing in it.
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
