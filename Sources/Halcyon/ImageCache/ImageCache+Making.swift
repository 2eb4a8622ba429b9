internal import Foundation

extension ImageCache {
    static func memoryStorage() -> MemoryStorage.Backend<KFCrossPlatformImage> {
        MemoryStorage.Backend(config: MemoryStorage.Config(totalCostLimit: SystemMemory.byteCount / 4))
    }

    static func emptyNameError(parent: URL?) -> KingfisherError {
        let error = CacheStorageError(
            .emptyName, "The name of the cache is empty.", remedy: "Give it a name. Its directory is named after it.")
        return .cacheError(reason: .cannotCreateDirectory(path: parent?.path ?? "", error: error))
    }
}

extension String {
    /// Returns the key of a variant: the key, `@`, and the identifier of the processor.
    func computedKey(with identifier: String) -> String { identifier.isEmpty ? self : self + "@" + identifier }
}

/// A stand-in for a processor of which only the identifier is known.
struct NamedProcessor: ImageProcessor {
    let identifier: String

    /// The cache never calls it: images are processed before they are stored.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension CallbackQueue {
    func call(_ handler: (@Sendable () -> Void)?) {
        if let handler { execute(handler) }
    }

    func report(to handler: (@Sendable (CacheStoreResult) -> Void)?) -> StoreCall.Report {
        { disk in
            if let handler { execute { handler(CacheStoreResult(diskCacheResult: disk)) } }
        }
    }
}
