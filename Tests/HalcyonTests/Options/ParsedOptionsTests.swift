import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct ParsedOptionsTests {
    @Test(arguments: [nil, []] as [KingfisherOptionsInfo?])
    func `without options the defaults hold`(info: KingfisherOptionsInfo?) {
        let options = KingfisherParsedOptionsInfo(info)
        let switches = [
            options.fromMemoryCacheOrRefresh, options.backgroundDecode, options.preloadAllAnimationData,
            options.onlyLoadFirstFrame, options.loadDiskFileSynchronously, options.cacheMemoryOnly,
            options.waitForCache, options.onlyFromCache, options.cacheOriginalImage, options.asyncCacheTypeCheck,
        ]
        #expect(!switches.contains(true))
        #expect(options.scaleFactor == 1 && options.diskStoreWriteOptions == [])
        #expect(options.processor is DefaultImageProcessor && options.cacheSerializer is DefaultCacheSerializer)
        #expect(options.memoryCacheExpiration == nil && options.diskCacheExpiration == nil)
        #expect(options.forcedExtension == nil && options.targetCache == nil && options.originalCache == nil)
        guard case .mainCurrentOrAsync = options.callbackQueue, options.processingQueue == nil,
            case .cacheTime = options.memoryCacheAccessExtendingExpiration,
            case .cacheTime = options.diskCacheAccessExtendingExpiration
        else {
            Issue.record("other defaults: \(options)")
            return
        }
    }

    @Test func `each option sets its own property`() {
        let options = KingfisherParsedOptionsInfo([
            .fromMemoryCacheOrRefresh, .backgroundDecode, .callbackQueue(.untouch), .scaleFactor(2),
            .preloadAllAnimationData, .onlyLoadFirstFrame, .processor(Variant("p")),
            .cacheSerializer(NoSerializer()), .loadDiskFileSynchronously, .diskStoreWriteOptions(.atomic),
            .memoryCacheExpiration(.seconds(1)), .memoryCacheAccessExtendingExpiration(.none),
            .diskCacheExpiration(.seconds(2)), .diskCacheAccessExtendingExpiration(.none),
            .forcedCacheFileExtension("jpg"), .cacheMemoryOnly, .waitForCache, .onlyFromCache, .cacheOriginalImage,
            .asyncCacheTypeCheck, .processingQueue(.mainAsync), .forceRefresh, .downloadPriority(1),
            .alsoPrefetchToMemory,
            .keepCurrentImageWhileLoading, .forceTransition, .onFailureImage(nil),
        ])
        let switches = [
            options.fromMemoryCacheOrRefresh, options.backgroundDecode, options.preloadAllAnimationData,
            options.onlyLoadFirstFrame, options.loadDiskFileSynchronously, options.cacheMemoryOnly,
            options.waitForCache, options.onlyFromCache, options.cacheOriginalImage, options.asyncCacheTypeCheck,
            options.forceRefresh, options.alsoPrefetchToMemory, options.keepCurrentImageWhileLoading,
            options.forceTransition,
        ]
        #expect(!switches.contains(false))
        #expect(options.downloadPriority == 1)
        // Set to none, which differs from not set.
        #expect(options.onFailureImage == .some(.none) && KingfisherParsedOptionsInfo(.empty).onFailureImage == nil)
        #expect(options.scaleFactor == 2 && options.diskStoreWriteOptions == .atomic)
        #expect(options.processor.identifier == "p" && options.cacheSerializer is NoSerializer)
        #expect(options.forcedExtension == "jpg")
        guard case .untouch = options.callbackQueue, case .mainAsync? = options.processingQueue,
            case .seconds(1)? = options.memoryCacheExpiration, case .seconds(2)? = options.diskCacheExpiration,
            case .none = options.memoryCacheAccessExtendingExpiration,
            case .none = options.diskCacheAccessExtendingExpiration
        else {
            Issue.record("something is elsewhere: \(options)")
            return
        }
        let made = options.imageCreatingOptions
        #expect(made == ImageCreatingOptions(scale: 2, duration: 0, preloadAll: true, onlyFirstFrame: true))
    }

    @Test func `the last of two equal options counts`() {
        let info: KingfisherOptionsInfo = [
            .scaleFactor(2), .scaleFactor(3), .forcedCacheFileExtension("a"), .forcedCacheFileExtension(nil),
        ]
        let options = KingfisherParsedOptionsInfo(info)
        #expect(options.scaleFactor == 3 && options.forcedExtension == nil)
    }

    @Test func `the cache for originals is the target if none is named`() throws {
        let fixture = try CacheFixture()
        let memory = CacheUnderTest.memory(clock: fixture.clock)
        let (one, two) = (
            ImageCache(memoryStorage: memory, diskStorage: fixture.storage),
            ImageCache(memoryStorage: memory, diskStorage: fixture.storage)
        )
        let target = KingfisherParsedOptionsInfo([.targetCache(one)])
        #expect(target.targetCache === one && target.originalCache === one)
        let both = KingfisherParsedOptionsInfo([.originalCache(two), .targetCache(one)])
        #expect(both.targetCache === one && both.originalCache === two)
        let original = KingfisherParsedOptionsInfo([.originalCache(two)])
        #expect(original.targetCache == nil && original.originalCache === two)
    }

    @Test func `options for other parts of Kingfisher do not affect the cache`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([
                .cacheMemoryOnly, .waitForCache, .onlyFromCache, .cacheOriginalImage, .asyncCacheTypeCheck,
            ])
            try await subject.cache.store(Pictures.image(1), forKey: "a", options: options)
            subject.cache.clearMemoryCache()
            #expect(try await subject.cache.retrieveImage(forKey: "a", options: options).cacheType == .disk)
        }
    }
}
