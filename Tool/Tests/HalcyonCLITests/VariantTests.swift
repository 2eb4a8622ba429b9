import Foundation
@_spi(HalcyonTool) import Halcyon
import Testing

@Suite struct `Variants that an app has stored` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    /// As an app stores them; the key of one image contains an "@".
    private func fill(storingKeys: Bool = true) async throws {
        let folder = URL(fileURLWithPath: tool.cache)
        var config = DiskStorage.Config(name: "", sizeLimit: 0)
        config.storesKeys = storingKeys
        config.cachePathBlock = { _, _ in folder }
        let storage = try DiskStorage.Backend<Data>(config: config)
        let memory = MemoryStorage.Backend<KFCrossPlatformImage>(config: .init(totalCostLimit: 0, cleanInterval: 0))
        let cache = ImageCache(memoryStorage: memory, diskStorage: storage)
        for (key, identifier) in [("a", ""), ("a", "blur"), ("a", "small"), ("a@x", "small"), ("b", "small")] {
            try await cache.storeToDisk(.blob(1), forKey: key, processorIdentifier: identifier)
        }
        await cache.suspend()
    }

    private func keys(_ arguments: String...) throws -> [String] {
        try tool.run(["list", "--json", "--sort", "key", "--folder", tool.cache] + arguments).objects().compactMap {
            $0["key"] as? String
        }
    }

    @Test func `list finds variants by their image and by their processor`() async throws {
        try await fill()
        #expect(try keys("--variants-of", "a") == ["a", "a@blur", "a@small"])
        #expect(try keys("--processor", "small") == ["a@small", "a@x@small", "b@small"])
        #expect(try keys("--originals") == ["a"])
        #expect(try keys("--processor", "small", "--variants-of", "a@x") == ["a@x@small"])
        let entry = try tool("info", "--json", "a@x@small").object()
        #expect(entry["base_key"] as? String == "a@x" && entry["processor"] as? String == "small")
        #expect(try tool("info", "a").output.contains("Processor      none (original)\n"))
    }

    @Test func `remove removes variants with their image`() async throws {
        try await fill()
        #expect(try tool("remove", "a", "--variants").output.hasPrefix("Removed 3 entries"))
        #expect(try keys() == ["a@x@small", "b@small"])
    }

    @Test func `without stored keys, remove removes variants with their image`() async throws {
        try await fill(storingKeys: false)
        #expect(try tool("remove", "--no-keys", "a", "--variants").output.hasPrefix("Removed 3 entries"))
        #expect(try tool("list", "--no-keys", "--count").output.hasPrefix("2 entries"))
    }
}
