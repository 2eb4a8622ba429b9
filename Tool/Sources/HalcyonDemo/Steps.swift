import Foundation
import Halcyon

#if canImport(AppKit)
    // The size of an image.
    import AppKit
#endif

extension Demo {
    /// Decodes each image and stores it with its file, then finds it in memory and, after clearing that, on disk.
    static let store: Step = { cache, pictures in
        let options = KingfisherParsedOptionsInfo([.cacheSerializer(originals)])
        for picture in pictures {
            try await cache.store(try picture.image(), original: picture.data, forKey: picture.key, options: options)
            try expect(cache.imageCachedType(forKey: picture.key) == .memory, "\(picture.key) is not in memory.")
        }
        let cost = cache.memoryStorageCacheCost
        cache.clearMemoryCache()
        try await expectEach(of: pictures, in: cache, to: .disk)
        return "\(pictures.count) images, \(cost) bytes decoded"
    }

    /// Finds each image on disk and then in memory, with the same pixels as its file.
    static let read: Step = { cache, pictures in
        try await expectEach(of: pictures, in: cache, to: .disk)
        try await expectEach(of: pictures, in: cache, to: .memory)
        return "\(pictures.count) images with equal pixels"
    }

    /// Creates thumbnails ahead of time under the processor's identifier, and finds them after clearing the memory.
    static let variants: Step = { cache, pictures in
        let processor = DownsamplingImageProcessor(size: CGSize(width: 96, height: 96))
        let options = KingfisherParsedOptionsInfo([.processor(processor), .backgroundDecode])
        for picture in pictures {
            guard let small = processor.process(item: .data(picture.data), options: options) else {
                throw Surprise("\(picture.key) has no thumbnail.")
            }
            try await cache.store(small, forKey: picture.key, options: options)
        }
        cache.clearMemoryCache()
        for picture in pictures {
            let result = try await cache.retrieveImage(forKey: picture.key, options: options)
            let size = result.image?.size ?? .zero
            try expect(result.cacheType == .disk, "The thumbnail of \(picture.key) is not on disk.")
            try expect(max(size.width, size.height) == 96, "The thumbnail of \(picture.key) has \(size) pixels.")
        }
        return "\(pictures.count) thumbnails of 96 pixels"
    }

    /// Sets a limit below the current size. The next store makes the cache enforce it.
    static let trim: Step = { cache, pictures in
        guard let picture = pictures.first else { return "nothing" }
        let before = try await cache.diskStorageSize
        let limit = before / 2
        cache.diskStorage.config.sizeLimit = limit
        try await cache.storeToDisk(picture.data, forKey: "last")
        // This clean has nothing to do. It runs after the trim on the cache's queue.
        await cache.cleanExpiredDiskCache()
        let after = try await cache.diskStorageSize
        try expect(after <= limit / 2, "\(after) bytes are left of a limit of \(limit).")
        try expect(cache.imageCachedType(forKey: "last") == .disk, "The newest entry was evicted.")
        return "\(before) bytes, a limit of \(limit): \(after) are left"
    }

    /// Stores files as downloaded, without encoding them again.
    private static var originals: DefaultCacheSerializer {
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        return serializer
    }

    private static func expectEach(of pictures: [Picture], in cache: ImageCache, to be: CacheType) async throws {
        for picture in pictures {
            let result = try await cache.retrieveImage(forKey: picture.key, options: [.backgroundDecode])
            try expect(result.cacheType == be, "\(picture.key): \(result.cacheType) instead of \(be).")
            let expected = try picture.image().kf.pngRepresentation()
            try expect(result.image?.kf.pngRepresentation() == expected, "\(picture.key) has other pixels.")
        }
    }
}
