import Foundation
import Kingfisher

func useHalcyon() { KingfisherManager.shared.cache = HalcyonCache(name: "default") }

/// Called on any thread, as Kingfisher does.
nonisolated func isCached(_ url: URL, in cache: HalcyonCache) -> Bool { cache.isCached(forKey: url.cacheKey) }

/// An app's subclass, with Kingfisher's signatures.
nonisolated final class OwnCache: HalcyonCache, @unchecked Sendable {
    override func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        try await super.removeImage(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension, fromMemory: fromMemory,
            fromDisk: fromDisk)
    }
}
