import Foundation
import Halcyon
import Testing

@Suite struct OptionTests {
    /// The name of an option. The switch has no default, because a new case would break apps.
    private func name(of item: KingfisherOptionsInfoItem) -> String {
        switch item {
        case .fromMemoryCacheOrRefresh: "fromMemoryCacheOrRefresh"
        case .backgroundDecode: "backgroundDecode"
        case .callbackQueue(let queue): "callbackQueue \(Self.name(of: queue))"
        case .scaleFactor(let scale): "scaleFactor \(scale)"
        case .preloadAllAnimationData: "preloadAllAnimationData"
        case .onlyLoadFirstFrame: "onlyLoadFirstFrame"
        case .processor(let processor): "processor \(processor.identifier)"
        case .cacheSerializer(let serializer): "cacheSerializer \(type(of: serializer))"
        case .loadDiskFileSynchronously: "loadDiskFileSynchronously"
        case .diskStoreWriteOptions(let options): "diskStoreWriteOptions \(options == .atomic)"
        case .memoryCacheExpiration(let expiration):
            "memoryCacheExpiration \(StorageVocabularyTests.name(of: expiration))"
        case .memoryCacheAccessExtendingExpiration(let extending):
            "memoryCacheAccessExtendingExpiration \(StorageVocabularyTests.name(of: extending))"
        case .diskCacheExpiration(let expiration): "diskCacheExpiration \(StorageVocabularyTests.name(of: expiration))"
        case .diskCacheAccessExtendingExpiration(let extending):
            "diskCacheAccessExtendingExpiration \(StorageVocabularyTests.name(of: extending))"
        case .forcedCacheFileExtension(let pathExtension): "forcedCacheFileExtension \(pathExtension ?? "none")"
        case .targetCache(let cache): "targetCache \(cache.diskStorage.config.name)"
        case .originalCache(let cache): "originalCache \(cache.diskStorage.config.name)"
        case .cacheMemoryOnly: "cacheMemoryOnly"
        case .waitForCache: "waitForCache"
        case .onlyFromCache: "onlyFromCache"
        case .cacheOriginalImage: "cacheOriginalImage"
        case .asyncCacheTypeCheck: "asyncCacheTypeCheck"
        case .processingQueue(let queue): "processingQueue \(Self.name(of: queue))"
        case .forceRefresh: "forceRefresh"
        case .downloadPriority(let priority): "downloadPriority \(priority)"
        case .alsoPrefetchToMemory: "alsoPrefetchToMemory"
        case .keepCurrentImageWhileLoading: "keepCurrentImageWhileLoading"
        case .forceTransition: "forceTransition"
        case .onFailureImage(let image): "onFailureImage \(image == nil ? "none" : "some")"
        }
    }

    private static func name(of queue: CallbackQueue) -> String {
        switch queue {
        case .mainAsync: "mainAsync"
        case .mainCurrentOrAsync: "mainCurrentOrAsync"
        case .untouch: "untouch"
        case .dispatch(let queue): "dispatch \(queue.label)"
        case .operationQueue(let queue): "operationQueue \(queue.underlyingQueue?.label ?? "none")"
        }
    }

    @Test func `each option sets the property of its name`() async throws {
        try await withCache { cache in
            let info: KingfisherOptionsInfo = [
                .fromMemoryCacheOrRefresh, .backgroundDecode, .callbackQueue(.mainAsync), .scaleFactor(2),
                .preloadAllAnimationData, .onlyLoadFirstFrame, .processor(RoundedCorners(radius: 1)),
                .cacheSerializer(RefusingSerializer()), .loadDiskFileSynchronously, .diskStoreWriteOptions(.atomic),
                .memoryCacheExpiration(.never), .memoryCacheAccessExtendingExpiration(.none),
                .diskCacheExpiration(.days(2)), .diskCacheAccessExtendingExpiration(.cacheTime),
                .forcedCacheFileExtension("jpg"), .targetCache(cache), .originalCache(cache), .cacheMemoryOnly,
                .waitForCache, .onlyFromCache, .cacheOriginalImage, .asyncCacheTypeCheck, .processingQueue(.untouch),
                .forceRefresh, .downloadPriority(1), .alsoPrefetchToMemory, .keepCurrentImageWhileLoading,
                .forceTransition, .onFailureImage(nil),
            ]
            #expect(
                info.map(name) == [
                    "fromMemoryCacheOrRefresh", "backgroundDecode", "callbackQueue mainAsync", "scaleFactor 2.0",
                    "preloadAllAnimationData", "onlyLoadFirstFrame", "processor com.example.rounded(1.0)",
                    "cacheSerializer RefusingSerializer", "loadDiskFileSynchronously", "diskStoreWriteOptions true",
                    "memoryCacheExpiration never", "memoryCacheAccessExtendingExpiration none",
                    "diskCacheExpiration 2 days", "diskCacheAccessExtendingExpiration cache time",
                    "forcedCacheFileExtension jpg", "targetCache client", "originalCache client", "cacheMemoryOnly",
                    "waitForCache", "onlyFromCache", "cacheOriginalImage", "asyncCacheTypeCheck",
                    "processingQueue untouch", "forceRefresh", "downloadPriority 1.0", "alsoPrefetchToMemory",
                    "keepCurrentImageWhileLoading", "forceTransition", "onFailureImage none",
                ])
            expectAll(KingfisherParsedOptionsInfo(info), cache)
        }
    }

    private func expectAll(_ parsed: KingfisherParsedOptionsInfo, _ cache: ImageCache) {
        #expect(parsed.fromMemoryCacheOrRefresh && parsed.backgroundDecode && parsed.preloadAllAnimationData)
        #expect(parsed.onlyLoadFirstFrame && parsed.loadDiskFileSynchronously && parsed.cacheMemoryOnly)
        #expect(parsed.waitForCache && parsed.onlyFromCache && parsed.cacheOriginalImage && parsed.asyncCacheTypeCheck)
        #expect(Self.name(of: parsed.callbackQueue) == "mainAsync")
        #expect(parsed.processingQueue.map(Self.name) == "untouch")
        #expect(parsed.scaleFactor == 2 && parsed.diskStoreWriteOptions == .atomic && parsed.forcedExtension == "jpg")
        #expect(parsed.processor is RoundedCorners && parsed.cacheSerializer is RefusingSerializer)
        #expect(parsed.memoryCacheExpiration.map(StorageVocabularyTests.name) == "never")
        #expect(StorageVocabularyTests.name(of: parsed.memoryCacheAccessExtendingExpiration) == "none")
        #expect(parsed.diskCacheExpiration.map(StorageVocabularyTests.name) == "2 days")
        #expect(StorageVocabularyTests.name(of: parsed.diskCacheAccessExtendingExpiration) == "cache time")
        #expect(parsed.targetCache === cache && parsed.originalCache === cache)
        #expect(parsed.forceRefresh && parsed.alsoPrefetchToMemory && parsed.keepCurrentImageWhileLoading)
        #expect(parsed.forceTransition && parsed.downloadPriority == 1 && parsed.onFailureImage == .some(.none))
    }

    @Test func `without options the defaults hold, and each can be set`() async throws {
        var parsed = KingfisherParsedOptionsInfo(KingfisherOptionsInfo.empty)
        #expect(!parsed.fromMemoryCacheOrRefresh && !parsed.backgroundDecode && parsed.scaleFactor == 1)
        #expect(parsed.processor is DefaultImageProcessor && parsed.cacheSerializer is DefaultCacheSerializer)
        #expect(parsed.processingQueue == nil && parsed.memoryCacheExpiration == nil && parsed.forcedExtension == nil)
        (parsed.fromMemoryCacheOrRefresh, parsed.backgroundDecode, parsed.callbackQueue) = (true, true, .mainAsync)
        (parsed.scaleFactor, parsed.preloadAllAnimationData, parsed.onlyLoadFirstFrame) = (2, true, true)
        (parsed.processor, parsed.cacheSerializer) = (RoundedCorners(radius: 1), RefusingSerializer())
        (parsed.loadDiskFileSynchronously, parsed.diskStoreWriteOptions) = (true, .atomic)
        (parsed.memoryCacheExpiration, parsed.diskCacheExpiration) = (.never, .days(2))
        (parsed.memoryCacheAccessExtendingExpiration, parsed.diskCacheAccessExtendingExpiration) = (.none, .cacheTime)
        (parsed.forcedExtension, parsed.processingQueue) = ("jpg", .untouch)
        (parsed.cacheMemoryOnly, parsed.waitForCache, parsed.onlyFromCache) = (true, true, true)
        (parsed.cacheOriginalImage, parsed.asyncCacheTypeCheck) = (true, true)
        (parsed.forceRefresh, parsed.alsoPrefetchToMemory, parsed.keepCurrentImageWhileLoading) = (true, true, true)
        (parsed.forceTransition, parsed.downloadPriority, parsed.onFailureImage) = (true, 1, .some(nil))
        #expect(parsed.targetCache == nil && parsed.originalCache == nil)
        let others = parsed
        try await withCache { cache in
            var parsed = others
            (parsed.targetCache, parsed.originalCache) = (cache, cache)
            expectAll(parsed, cache)
        }
    }
}

@Suite struct CallbackQueueTests {
    @Test func `a block runs on the requested queue`() async {
        let marked = MarkedQueue()
        let isThere = await handled { done in
            CallbackQueue.dispatch(marked.queue).execute { done(marked.isCurrent) }
        }
        #expect(isThere)
        for queue in [CallbackQueue.mainAsync, .mainCurrentOrAsync] {
            await done { done in queue.execute { MainActor.assumeIsolated { done() } } }
        }
        let queue: ExecutionQueue = .untouch
        let notes = Notes<Int>()
        queue.execute { notes.note(1) }
        #expect(notes.values == [1])
    }

    @Test func `an operation queue is the system's, or an app's own`() async {
        let system = OperationQueue()
        // The operation queue does not keep it.
        let beneath = DispatchQueue(label: "beneath")
        system.underlyingQueue = beneath
        let isThere = await handled { done in
            CallbackQueue.operationQueue(system).execute { done(OperationQueue.current === system) }
        }
        #expect(isThere)
        let existential: CallbackOperationQueue = system
        #expect(existential.underlyingQueue === beneath)

        let held = HeldOperations()
        let notes = Notes<Int>()
        CallbackQueue.operationQueue(held).execute { notes.note(1) }
        #expect(held.count == 1 && notes.values.isEmpty)
        held.runAll()
        #expect(notes.values == [1])
    }
}
