public import Foundation

/// Options of a call; of an option that is given twice the last one counts.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

/// One option of a store or a load.
///
/// Those in the first part are read by ``ImageCache``. Those in the second are parsed and carried for whoever manages
/// downloads around it, and the cache itself does not read them.
public enum KingfisherOptionsInfoItem: Sendable {
    // MARK: Read by the cache

    /// A load that finds nothing in memory does not look on the disk.
    case fromMemoryCacheOrRefresh
    /// A load from disk decodes the pixels before it calls back, off the caller's thread.
    case backgroundDecode
    /// Where the completion handler of a store is called: by default the main queue, at once if this is it. A load is told so by
    /// its own parameter.
    case callbackQueue(CallbackQueue)
    /// Pixels per point of an image that is made of data. By default 1.
    case scaleFactor(CGFloat)
    /// An animation's pictures are all decoded when it is loaded.
    case preloadAllAnimationData
    /// An animation becomes a still image of its first picture.
    case onlyLoadFirstFrame
    /// Its identifier is part of the key; the default one has none. The cache itself processes nothing.
    case processor(any ImageProcessor)
    /// Turns images into bytes and back. By default ``DefaultCacheSerializer/default``.
    case cacheSerializer(any CacheSerializer)
    /// A load from disk happens on the caller's thread, before the call returns.
    case loadDiskFileSynchronously
    /// For the blob: file protection, and `.withoutOverwriting`, which makes the store of a key that is there fail. None by default.
    /// Every write is atomic, asked for or not.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// How long an image lives in memory, in place of ``MemoryStorage/Config/expiration``.
    case memoryCacheExpiration(StorageExpiration)
    /// What a load does to the expiration in memory. By default ``ExpirationExtending/cacheTime``.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// How long a blob lives on disk, in place of ``DiskStorage/Config/expiration``.
    case diskCacheExpiration(StorageExpiration)
    /// What a load does to the expiration on disk. By default ``ExpirationExtending/cacheTime``.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// The extension of the blob's file name; part of the entry's identity: the same for stores and loads. nil, as by default, for
    /// ``DiskStorage/Config/pathExtension``.
    case forcedCacheFileExtension(String?)

    // MARK: Carried for who manages downloads

    /// The cache for results. Not read by the cache itself.
    case targetCache(ImageCache)
    /// The cache for originals; the target cache if there is none. Not read by the cache itself.
    case originalCache(ImageCache)
    /// Results are not stored on disk. Not read by the cache itself: its `toDisk` parameters say so.
    case cacheMemoryOnly
    /// A result is handed over once it is cached. Not read by the cache itself.
    case waitForCache
    /// Nothing is downloaded. Not read by the cache itself.
    case onlyFromCache
    /// The original is cached besides the processed image. Not read by the cache itself.
    case cacheOriginalImage
    /// Whether something is cached is asked off the caller's thread. Not read by the cache itself:
    /// ``ImageCache/imageCachedTypeAsync(forKey:processorIdentifier:forcedExtension:callbackQueue:completionHandler:)`` is
    /// how.
    case asyncCacheTypeCheck
    /// Where images are processed. Not read by the cache itself.
    case processingQueue(CallbackQueue)
    /// What is cached is not asked for. Not read by the cache itself.
    case forceRefresh
    /// Of a download, from 0 to 1. Not read by the cache itself.
    case downloadPriority(Float)
    /// A prefetch puts what it finds on disk into memory. Not read by the cache itself.
    case alsoPrefetchToMemory
    /// An image view keeps what it shows while the next image loads. Not read by the cache itself.
    case keepCurrentImageWhileLoading
    /// A transition also for an image that was cached. Not read by the cache itself.
    case forceTransition
    /// The image to show where none could be had. Not read by the cache itself.
    case onFailureImage(KFCrossPlatformImage?)
}

extension KingfisherOptionsInfo {
    /// No options.
    public static let empty: KingfisherOptionsInfo = []
}
