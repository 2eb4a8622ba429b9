public import Foundation

/// The options of a call. If an option occurs more than once, the last one counts.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

/// One option of a store or a load.
///
/// ``ImageCache`` reads the options of the first part. It parses and carries those of the second part for your download code, but
/// does not read them.
public enum KingfisherOptionsInfoItem: Sendable {
    // MARK: Read by the cache

    /// A load that finds nothing in memory skips the disk.
    case fromMemoryCacheOrRefresh
    /// A load from disk decodes the pixels before it calls back. On Apple platforms, not those of animations. With
    /// ``loadDiskFileSynchronously``, it decodes on the caller's thread. If the pixels cannot be decoded, the load is a miss.
    case backgroundDecode
    /// The queue of a store's completion handler. Default: the main queue; called at once if you are on it. A load has a
    /// parameter for it instead.
    case callbackQueue(CallbackQueue)
    /// Pixels per point of an image made from data. Default: 1. Without effect on macOS, where the file decides.
    case scaleFactor(CGFloat)
    /// A load decodes all pictures of an animation. Without effect on macOS, which decodes what it displays.
    case preloadAllAnimationData
    /// An animation becomes a still image of its first picture. A store still keeps the whole file, for loads without this option.
    case onlyLoadFirstFrame
    /// The processor, whose identifier is part of the key. The default one has an empty identifier. The cache processes no
    /// images.
    case processor(any ImageProcessor)
    /// Converts images to bytes and back. Default: ``DefaultCacheSerializer/default``.
    case cacheSerializer(any CacheSerializer)
    /// A load from disk runs on the caller's thread, before the call returns.
    case loadDiskFileSynchronously
    /// Write options for the blob: file protection, and `.withoutOverwriting`, which makes a store fail if the key exists.
    /// Default: none. Every write is atomic, whatever the options.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// How long an image lives in memory, instead of ``MemoryStorage/Config/expiration``.
    case memoryCacheExpiration(StorageExpiration)
    /// How a load extends the expiration in memory. Default: ``ExpirationExtending/cacheTime``.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// How long a blob lives on disk, instead of ``DiskStorage/Config/expiration``.
    case diskCacheExpiration(StorageExpiration)
    /// How a load extends the expiration on disk. Default: ``ExpirationExtending/cacheTime``.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// The file name extension of the blob. Part of the entry's identity, so use the same one for stores and loads. nil, the
    /// default, means ``DiskStorage/Config/pathExtension``.
    case forcedCacheFileExtension(String?)

    // MARK: Carried for download code

    /// The cache for results. Not read by the cache itself.
    case targetCache(ImageCache)
    /// The cache for originals; the target cache if not set. Not read by the cache itself.
    case originalCache(ImageCache)
    /// Results are not stored on disk. Not read by the cache itself, which has `toDisk` parameters.
    case cacheMemoryOnly
    /// A result is delivered only once it is cached. Not read by the cache itself.
    case waitForCache
    /// Nothing is downloaded. Not read by the cache itself.
    case onlyFromCache
    /// The original is cached in addition to the processed image. Not read by the cache itself.
    case cacheOriginalImage
    /// Checks the cache type off the caller's thread. Not read by the cache itself; use
    /// ``ImageCache/imageCachedTypeAsync(forKey:processorIdentifier:forcedExtension:callbackQueue:completionHandler:)``.
    case asyncCacheTypeCheck
    /// The queue that processes images. Not read by the cache itself.
    case processingQueue(CallbackQueue)
    /// Cached images are ignored. Not read by the cache itself.
    case forceRefresh
    /// The priority of a download, from 0 to 1. Not read by the cache itself.
    case downloadPriority(Float)
    /// A prefetch puts images it finds on disk into memory. Not read by the cache itself.
    case alsoPrefetchToMemory
    /// An image view keeps its image while the next one loads. Not read by the cache itself.
    case keepCurrentImageWhileLoading
    /// Cached images get a transition too. Not read by the cache itself.
    case forceTransition
    /// The image to show after a failure. Not read by the cache itself.
    case onFailureImage(KFCrossPlatformImage?)
}

extension KingfisherOptionsInfo {
    /// No options.
    public static let empty: KingfisherOptionsInfo = []
}
