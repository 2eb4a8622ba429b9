import Foundation
import Halcyon
import Kingfisher
import Testing

@testable import HalcyonKingfisher

@Suite(.timeLimit(.minutes(10))) struct CallbackTests {
    @Test func `each handler is called once, on the requested queue`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let picture = try Picture()
        let queue = DispatchQueue(label: "test")
        let specific = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: specific, value: true)
        let counter = Counter()
        @Sendable func note(_ name: String) {
            counter.count(DispatchQueue.getSpecific(key: specific) == true ? name : "\(name), on another queue")
        }
        let options = Kingfisher.KingfisherParsedOptionsInfo([.callbackQueue(.dispatch(queue))])
        cache.store(picture.image, forKey: "a", options: options) { _ in note("store with options") }
        cache.store(picture.image, forKey: "a", options: options, toDisk: false) { _ in note("store in memory") }
        cache.store(picture.image, forKey: "a", callbackQueue: .dispatch(queue)) { _ in note("store") }
        cache.storeToDisk(picture.data, forKey: "b", callbackQueue: .dispatch(queue)) { _ in note("storeToDisk") }
        cache.retrieveImage(forKey: "a", options: options, callbackQueue: .dispatch(queue)) { _ in note("memory") }
        cache.retrieveImage(forKey: "b", callbackQueue: .dispatch(queue)) { _ in note("disk") }
        cache.retrieveImage(forKey: "c", callbackQueue: .dispatch(queue)) { _ in note("nothing") }
        cache.retrieveImageInDiskCache(forKey: "b", callbackQueue: .dispatch(queue)) { _ in note("disk alone") }
        cache.removeImage(forKey: "a", callbackQueue: .dispatch(queue)) { note("remove") }
        cache.removeImage(forKey: "a", fromDisk: false, callbackQueue: .dispatch(queue)) { note("remove in memory") }
        // A nil handler is never called.
        cache.retrieveImage(forKey: "b", options: options, completionHandler: nil)
        cache.store(picture.image, forKey: "d", completionHandler: nil)
        let refusing = Kingfisher.KingfisherParsedOptionsInfo(
            [.cacheSerializer(HalcyonStoreFailure(error: .imageNotExisting)), .callbackQueue(.dispatch(queue))])
        cache.store(picture.image, forKey: "e", options: refusing) { result in
            if case .failure = result.diskCacheResult { note("failed store") }
        }
        // Runs after all of them on the adapter's queue. A failure takes one more step on the superclass's queue.
        await cache.clearDiskCache()
        while counter.all["failed store"] == nil { await Task.yield() }
        queue.sync {}
        let names = [
            "store with options", "store in memory", "store", "storeToDisk", "memory", "disk", "nothing", "disk alone",
            "remove", "remove in memory", "failed store",
        ]
        #expect(counter.all == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        #expect(cache.stockCalls == [])
    }

    @Test(arguments: [true, false])
    func `the handler of an original does not run beside that of its image`(toDisk: Bool) async throws {
        let fixture = Fixture()
        let (cache, originals) = (try fixture.makeCache(), try fixture.makeCache(name: "originals"))
        let picture = try Picture()
        let queue = DispatchQueue(label: "test")
        let order = Counter()
        let options = Kingfisher.KingfisherParsedOptionsInfo(
            [.callbackQueue(.dispatch(queue)), .waitForCache, .cacheOriginalImage])
        queue.suspend()
        cache.store(picture.image, forKey: "a", options: options, toDisk: toDisk) { _ in order.count("image") }
        // As Kingfisher's manager stores it: right after the image, possibly in another cache.
        originals.storeToDisk(picture.data, forKey: "a", callbackQueue: .untouch) { _ in
            order.count(order.all["image"] == nil ? "original, too early" : "original")
        }
        originals.storeToDisk(picture.data, forKey: "b", callbackQueue: .untouch) { _ in order.count("another key") }
        try await originals.halcyon.flush()
        while order.all["another key"] == nil { await Task.yield() }
        #expect(originals.isCached(forKey: "a") && order.all == ["another key": 1])
        queue.resume()
        while order.all["original"] == nil, order.all["original, too early"] == nil { await Task.yield() }
        #expect(order.all == ["another key": 1, "image": 1, "original": 1])
        // Nothing holds it back once the image is answered: in memory, with this queue, at once.
        let untouched = Kingfisher.KingfisherParsedOptionsInfo(
            [.callbackQueue(.untouch), .waitForCache, .cacheOriginalImage])
        cache.store(picture.image, forKey: "c", options: untouched, toDisk: false) { _ in order.count("image of c") }
        #expect(order.all["image of c"] == 1)
        originals.storeToDisk(picture.data, forKey: "c", callbackQueue: .untouch) { _ in order.count("c") }
        while order.all["c"] == nil { await Task.yield() }
    }

    @Test func `handlers without a queue are called on the main queue`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(Data(count: 5), forKey: "a")
        let size = try await withCheckedThrowingContinuation { continuation in
            cache.calculateDiskStorageSize { result in
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume(with: result)
            }
        }
        #expect(size == 5)
        await withCheckedContinuation { continuation in
            cache.cleanExpiredDiskCache {
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            cache.clearDiskCache {
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume()
            }
        }
        #expect(try await cache.diskStorageSize == 0)
        #expect(cache.stockCalls == [])
    }

    @Test func `the async functions do the same as the functions with handlers`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let picture = try Picture(red: 3)
        try await cache.store(picture.image, forKey: "a")
        try await cache.store(picture.image, forKey: "b", options: .thumbnail)
        try await cache.store(picture.image, forKey: "m", toDisk: false)
        try await cache.storeToDisk(picture.data, forKey: "c")
        #expect(cache.memoryStorage.keys == ["a", "b@thumb", "m"])
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "a").image?.red == 3)
        #expect(try await cache.retrieveImage(forKey: "b", options: .thumbnail).cacheType == .disk)
        #expect(try await cache.retrieveImage(forKey: "b", options: .thumbnail).cacheType == .memory)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "c")?.red == 3)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "m") == nil)
        try await cache.removeImage(forKey: "a", fromMemory: false)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        await cache.cleanExpiredDiskCache()
        await cache.cleanExpiredCache()
        await cache.clearDiskCache()
        #expect(cache.imageCachedType(forKey: "b", processorIdentifier: "thumb") == .memory)
        await cache.clearCache()
        #expect(cache.memoryStorage.keys == [])
        #expect(try await cache.diskStorageSize == 0)
        #expect(cache.stockCalls == [])
    }

    @Test func `a subclass sees every store and load by overriding the functions with options`() async throws {
        final class Counting: HalcyonCache, @unchecked Sendable {
            let counter = Counter()

            override func store(
                _ image: Kingfisher.KFCrossPlatformImage, original: Data? = nil, forKey key: String,
                options: Kingfisher.KingfisherParsedOptionsInfo, toDisk: Bool = true,
                completionHandler: (@Sendable (Kingfisher.CacheStoreResult) -> Void)? = nil
            ) {
                counter.count("store \(key), \(toDisk)")
                super.store(
                    image, original: original, forKey: key, options: options, toDisk: toDisk,
                    completionHandler: completionHandler)
            }
        }
        let fixture = Fixture()
        let cache = try Counting(name: "images", cacheDirectoryURL: fixture.parent)
        let picture = try Picture()
        try await cache.store(picture.image, forKey: "a")
        try await cache.storeToDisk(picture.data, forKey: "b")
        _ = try await cache.retrieveImage(forKey: "b")
        #expect(cache.counter.all == ["store a, true": 1, "store b, false": 1])
    }

    @Test func `the one lookup that cannot be overridden reads Kingfisher's storage`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(try Picture().data, forKey: "a")
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
        #expect(!cache.stockCalls.isEmpty)
    }
}

extension Kingfisher.KingfisherError {
    fileprivate static var imageNotExisting: Self { .cacheError(reason: .imageNotExisting(key: "")) }
}

@Suite(.timeLimit(.minutes(10))) struct FailureTests {
    /// A cache whose folder cannot be created, because a file is at its path.
    private func withUnusableFolder(_ body: (HalcyonCache) async throws -> Void) async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try Data().write(to: fixture.folder)
        try await body(cache)
        #expect(cache.stockCalls == [])
    }

    private func reason(
        _ body: () async throws -> Void
    ) async -> Kingfisher.KingfisherError.CacheErrorReason? {
        do {
            try await body()
            return nil
        } catch {
            guard case .cacheError(let reason)? = error as? Kingfisher.KingfisherError else { return nil }
            return reason
        }
    }

    @Test func `if the folder cannot be created, stores and loads fail with Kingfisher's errors`() async throws {
        try await withUnusableFolder { cache in
            let picture = try Picture()
            let reasons = [
                await reason { try await cache.store(picture.image, forKey: "a") },
                await reason { try await cache.store(picture.image, forKey: "a", options: .thumbnail) },
                await reason { try await cache.storeToDisk(picture.data, forKey: "a") },
                await reason { _ = try await cache.retrieveImage(forKey: "b") },
                await reason { _ = try await cache.retrieveImageInDiskCache(forKey: "a") },
            ]
            for reason in reasons {
                guard case .diskStorageIsNotReady? = reason else {
                    Issue.record("\(String(describing: reason))")
                    continue
                }
            }
            // Memory is not affected.
            #expect(try await cache.retrieveImage(forKey: "a").cacheType == .memory)
            #expect(cache.imageCachedType(forKey: "b") == .none)
            await cache.clearCache()
            await cache.cleanExpiredCache()
            #expect(await reason { _ = try await cache.diskStorageSize } != nil)
        }
    }

    @Test func `a removal that fails throws, and the image is still found`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let picture = try Picture()
        try await cache.store(picture.image, forKey: "a", processorIdentifier: "thumb")
        await cache.halcyon.suspend()
        let found = await reason { try await cache.removeImage(forKey: "a", processorIdentifier: "thumb") }
        guard case .invalidURLResource(let cause as CacheStorageError, "a@thumb", _)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(cause.code == .suspended)
        // This variant cannot report errors.
        await withCheckedContinuation { continuation in
            cache.removeImage(forKey: "a", processorIdentifier: "thumb") { continuation.resume() }
        }
        // Removing from memory needs no disk.
        try await cache.removeImage(forKey: "a", processorIdentifier: "thumb", fromDisk: false)
        cache.halcyon.resume()
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "thumb") == .disk)
        try await cache.removeImage(forKey: "a", processorIdentifier: "thumb")
        #expect(!cache.isCached(forKey: "a", processorIdentifier: "thumb"))
        // A missing image is not an error.
        try await cache.removeImage(forKey: "a", processorIdentifier: "thumb")
        #expect(cache.stockCalls == [])
    }

    @Test func `the result of a failed store contains the underlying error`() async throws {
        try await withUnusableFolder { cache in
            let data = try Picture().data
            let result = await withCheckedContinuation { continuation in
                cache.storeToDisk(data, forKey: "a") { continuation.resume(returning: $0) }
            }
            guard case .failure(.cacheError(.cannotSerializeImage(_, _, let serializer))) = result.diskCacheResult,
                let failure = serializer as? HalcyonStoreFailure,
                case .cacheError(reason: .diskStorageIsNotReady) = failure.error
            else {
                Issue.record("\(result)")
                return
            }
            #expect("\(failure)".contains("the disk failed"))
            #expect(cache.memoryStorage.keys == [])
        }
    }

    @Test func `the error names a serializer that returns no data`() async throws {
        struct Refusing: Kingfisher.CacheSerializer {
            func data(with image: Kingfisher.KFCrossPlatformImage, original: Data?) -> Data? { nil }
            func image(
                with data: Data, options: Kingfisher.KingfisherParsedOptionsInfo
            ) -> Kingfisher.KFCrossPlatformImage? { nil }
        }
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let image = try Picture().image
        let found = await reason { try await cache.store(image, forKey: "a", cacheSerializer: Refusing()) }
        guard case .cannotSerializeImage(let failed, nil, let serializer)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(failed === image)
        #expect(serializer is Refusing)
    }

    @Test func `each reason of Halcyon's errors has a counterpart in Kingfisher`() {
        let url = URL(fileURLWithPath: "/a")
        let cause = CocoaError(.fileNoSuchFile)
        let reasons: [Halcyon.KingfisherError.CacheErrorReason] = [
            .fileEnumeratorCreationFailed(url: url), .invalidFileEnumeratorContent(url: url),
            .invalidURLResource(error: cause, key: "k", url: url), .cannotLoadDataFromDisk(url: url, error: cause),
            .cannotCreateDirectory(path: "/a", error: cause), .imageNotExisting(key: "k"),
            .cannotConvertToData(object: 1, error: cause),
            .cannotSerializeImage(
                image: nil, original: nil, serializer: Halcyon.DefaultCacheSerializer.default),
            .cannotCreateCacheFile(fileURL: url, key: "k", data: Data(), error: cause),
            .cannotSetCacheFileAttribute(filePath: "/a", attributes: [:], error: cause),
            .diskStorageIsNotReady(cacheURL: url),
        ]
        for reason in reasons {
            let error = Halcyon.KingfisherError.cacheError(reason: reason)
            #expect(Kingfisher.KingfisherError(error).errorCode == error.errorCode)
        }
        let (processor, item) = (Halcyon.DefaultImageProcessor.default, Halcyon.ImageProcessItem.data(Data([1])))
        let error = Halcyon.KingfisherError.processorError(reason: .processingFailed(processor: processor, item: item))
        let counterpart = Kingfisher.KingfisherError(error)
        guard case .processorError(reason: .processingFailed(_, item: .data(Data([1])))) = counterpart else {
            Issue.record("another error: \(counterpart)")
            return
        }
        #expect(counterpart.errorCode == 4001)
    }
}
