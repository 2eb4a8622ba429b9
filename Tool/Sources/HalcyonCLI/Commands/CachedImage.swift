internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// An entry as a picture, read through the same facade that apps use.
struct CachedImage {
    let image: KFCrossPlatformImage
    let format: ImageFormat
    let entry: Entry

    /// - Throws: ``Failure`` for a miss, and for bytes that are no picture.
    init(forKey key: String, pathExtension: String?, in storage: Storage) throws {
        guard let result = try Self.load(key, pathExtension, from: storage),
            let entry = try storage.row(forKey: key, forcedExtension: pathExtension)
        else {
            try storage.settle(forKey: key, forcedExtension: pathExtension)
            throw Failure(Get.miss(key))
        }
        self.entry = entry
        format = result.data.kf.imageFormat
        image = try result.image ?? { throw Self.noPicture(result.data) }()
    }

    private struct Loaded {
        let data: Data
        let image: KFCrossPlatformImage?
    }

    /// Keeps the bytes beside the image that is made of them.
    private final class KeepingSerializer: CacheSerializer {
        let data: Locked<Data?> = Locked(nil)

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            self.data.withLock { $0 = data }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    /// nil for a miss. On this thread, pixels and all.
    private static func load(_ key: String, _ pathExtension: String?, from storage: Storage) throws -> Loaded? {
        let serializer = KeepingSerializer()
        let outcome: Locked<Result<KFCrossPlatformImage?, KingfisherError>> = Locked(.success(nil))
        let memory = MemoryStorage.Backend<KFCrossPlatformImage>(config: .init(totalCostLimit: 0, cleanInterval: 0))
        ImageCache(memoryStorage: memory, diskStorage: storage).retrieveImageInDiskCache(
            forKey: key,
            options: [
                .loadDiskFileSynchronously, .backgroundDecode, .cacheSerializer(serializer),
                .forcedCacheFileExtension(pathExtension), .diskCacheAccessExtendingExpiration(.none),
            ]
        ) { result in outcome.withLock { $0 = result } }
        let image = try outcome.withLock { try $0.get() }
        return serializer.data.withLock { $0 }.map { Loaded(data: $0, image: image) }
    }

    private static func noPicture(_ data: Data) -> Failure {
        #if os(Linux)
            let reason = ImageDecodingError(decoding: data)?.description ?? "The image cannot be decoded."
        #else
            let reason = "The system cannot decode it."
        #endif
        return Failure("\(reason) ‘halcyon get’ without --as writes the bytes as they are.")
    }
}
