import Foundation
import Halcyon

/// The promises of a cache with any damaged index.
struct Service {
    let template: TemplateCache
    let folder: URL

    /// A damaged index may look like one of a newer version, which the cache does not promise to use.
    func use() throws {
        for _ in 0..<2 {
            guard let storage = try? DiskStorage.Backend<Data>(config: TemplateCache.config(in: folder)) else { return }
            try use(storage)
        }
    }

    private func use(_ storage: DiskStorage.Backend<Data>) throws {
        for key in template.blobs.keys { try requireOwnBytes(storage, key) }
        _ = try? storage.totalSize()
        _ = try? storage.usage()
        _ = try? storage.statistics
        for order in DiskStorage.EntryOrder.allCases { _ = try? storage.entries(sortedBy: order, limit: 3) }
        _ = try? storage.entry(forKey: "https://example.com/1.jpg")
        _ = try? storage.removeExpiredValues()
        _ = try? storage.removeSizeExceededValues()
        try requireService(storage)
    }

    private func requireOwnBytes(_ storage: DiskStorage.Backend<Data>, _ key: String) throws {
        let data = try storage.value(forKey: key)
        guard data == nil || data == template.blobs[key] else { fatalError("another entry's bytes") }
    }

    private func requireService(_ storage: DiskStorage.Backend<Data>) throws {
        let data = Data("new".utf8)
        try storage.store(value: data, forKey: "new")
        guard try storage.value(forKey: "new") == data else { fatalError("what was stored is not there") }
        try storage.remove(forKey: "new")
        guard !storage.isCached(forKey: "new") else { fatalError("what was removed is there") }
    }
}
