import Foundation
import Kingfisher

// A file that imports only Kingfisher. Without `MemberImportVisibility`, which is off by default, the members of every module
// that another file imports are visible here too. None of them may make a Kingfisher member ambiguous.

func describe(_ data: Data, _ name: String, _ image: KFCrossPlatformImage, _ url: URL) throws -> String {
    let format: ImageFormat = data.kf.imageFormat
    let decoded: KFCrossPlatformImage = image.kf.decoded(scale: 2)
    let frames: Int? = decoded.kf.imageFrameCount
    let wrapper: KingfisherWrapper<String> = name.kf
    let resource: any Resource = KF.ImageResource(downloadURL: url.downloadURL, cacheKey: url.cacheKey)
    let bytes = try Data.fromData(data.toData()) + Data.empty
    let processor: any ImageProcessor = DefaultImageProcessor.default |> DefaultImageProcessor.default
    return "\(format) \(frames ?? 1) \(wrapper.base) \(resource.cacheKey) \(bytes.count) \(processor.identifier)"
        + " \(image.cacheCost) \(Notification.Name.KingfisherDidCleanDiskCache.rawValue)"
}

func options(_ cache: ImageCache) -> KingfisherOptionsInfo {
    [
        .targetCache(cache), .originalCache(cache), .forceRefresh, .downloadPriority(1), .diskCacheExpiration(.never),
        .memoryCacheAccessExtendingExpiration(.none), .callbackQueue(.mainAsync), .scaleFactor(2),
    ]
}

func prefetch(_ urls: [URL]) {
    ImagePrefetcher(urls: urls, options: [.targetCache(KingfisherManager.shared.cache)]).start()
}
