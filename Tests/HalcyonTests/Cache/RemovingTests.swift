import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct RemovingTests {
    @Test func `a removed image is gone from memory at once, and from disk when the handler is called`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            let calls = Calls<Bool>()
            subject.cache.ioQueue.queue.suspend()
            subject.cache.removeImage(forKey: "a") { calls.record(subject.storage.isCached(forKey: "a")) }
            #expect(subject.cache.retrieveImageInMemoryCache(forKey: "a") == nil)
            #expect(subject.storage.isCached(forKey: "a"))
            subject.cache.ioQueue.queue.resume()
            await subject.settle()
            #expect(calls.values == [false])
            #expect(try await subject.load("a").cacheType == .none)
        }
    }

    @Test(arguments: [(true, false, CacheType.disk), (false, true, .memory), (false, false, .memory)])
    func `a removal can leave out memory or disk`(fromMemory: Bool, fromDisk: Bool, left: CacheType) async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            await subject.onceDone {
                subject.cache.removeImage(
                    forKey: "a", fromMemory: fromMemory, fromDisk: fromDisk, completionHandler: $0)
            }
            #expect(subject.cache.imageCachedType(forKey: "a") == left)
            #expect(subject.storage.isCached(forKey: "a") == !fromDisk)
        }
    }

    @Test(.enabled(if: ProcessThreads.count > 0))
    func `many removals of variants take few threads`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            for number in 0..<200 { try subject.storage.store(value: Pictures.small[0], forKey: "\(number)") }
            let (isReached, gate, removed) = (Locked(false), DispatchSemaphore(value: 0), Calls<Bool>())
            cache.ioQueue.queue.suspend()
            for number in 0..<200 {
                cache.removeImageAndVariants(forKey: "\(number)", callbackQueue: .untouch) { result in
                    removed.record((try? result.get())?.count == 1)
                }
            }
            // Each has begun by then, and waits for a turn for its batch.
            cache.ioQueue.async {
                isReached.withLock { $0 = true }
                gate.wait()
            }
            let before = ProcessThreads.count
            cache.ioQueue.queue.resume()
            try await eventually { isReached.withLock { $0 } }
            try await Task.sleep(nanoseconds: 300_000_000)
            #expect(ProcessThreads.count - before < 100)
            gate.signal()
            await subject.settle()
            try await eventually { removed.count == 200 }
            #expect(removed.values.allSatisfy { $0 })
        }
    }

    @Test func `removing a missing key succeeds`() async throws {
        try await withImageCache { subject in
            await subject.onceDone { subject.cache.removeImage(forKey: "a", completionHandler: $0) }
            try await subject.cache.removeImage(forKey: "a", processorIdentifier: "b", forcedExtension: "c")
        }
    }

    @Test func `a removal removes only the given variant and extension`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.store(Pictures.image(0), forKey: "a")
            try await cache.store(Pictures.image(1), forKey: "a", processorIdentifier: "small")
            try await cache.store(Pictures.image(2), forKey: "a", forcedExtension: "jpg")
            try await cache.removeImage(forKey: "a", processorIdentifier: "small")
            cache.clearMemoryCache()
            #expect(!cache.isCached(forKey: "a", processorIdentifier: "small"))
            #expect(cache.isCached(forKey: "a") && cache.isCached(forKey: "a", forcedExtension: "jpg"))
            try await cache.removeImage(forKey: "a", forcedExtension: "jpg")
            #expect(cache.isCached(forKey: "a") && !cache.isCached(forKey: "a", forcedExtension: "jpg"))
        }
    }

    @Test func `removals and stores of a key happen in the order of their calls`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image()
            for _ in 0..<20 {
                subject.cache.store(image, forKey: "a", completionHandler: nil)
                subject.cache.removeImage(forKey: "a", completionHandler: nil)
                subject.cache.removeImage(forKey: "b", completionHandler: nil)
                subject.cache.store(image, forKey: "b", completionHandler: nil)
            }
            await subject.settle()
            #expect(!subject.cache.isCached(forKey: "a"))
            #expect(subject.cache.isCached(forKey: "b") && subject.storage.isCached(forKey: "b"))
        }
    }

    @Test func `the handler is called even if the blob cannot be removed`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            subject.disk.fileSystem.fail(.rename, EACCES, times: nil)
            await subject.onceDone { subject.cache.removeImage(forKey: "a", completionHandler: $0) }
            // Only the async function reports the error.
            await #expect(throws: KingfisherError.self) { try await subject.cache.removeImage(forKey: "a") }
            try await subject.cache.removeImage(forKey: "a", fromDisk: false)
            subject.disk.fileSystem.heal()
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    // MARK: Everything

    @Test func `clearing memory leaves the disk unchanged`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            subject.cache.clearMemoryCache()
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            #expect(subject.cache.memoryStorageCacheCost == 0)
        }
    }

    @Test func `clearing the disk leaves memory unchanged`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            let call = await subject.onceDone { subject.cache.clearDiskCache(completion: $0) }
            #expect(call.isOnMainQueue)
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
            #expect(try await subject.cache.diskStorageSize == 0)
        }
    }

    @Test func `clearing the cache empties both, memory at once`() async throws {
        try await withImageCache { subject in
            for number in 0..<10 { try await subject.cache.store(Pictures.image(), forKey: "\(number)") }
            subject.cache.ioQueue.queue.suspend()
            let calls = Calls<Void>()
            subject.cache.clearCache { calls.record(()) }
            #expect(subject.cache.memoryStorageCacheCost == 0)
            subject.cache.ioQueue.queue.resume()
            #expect(await calls.first().isOnMainQueue)
            #expect(try await subject.cache.diskStorageSize == 0)
            for number in 0..<10 { #expect(!subject.cache.isCached(forKey: "\(number)")) }
        }
    }

    @Test func `an image stored after a call of clear stays`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            let image = try Pictures.image(1)
            await subject.onceDone { done in
                subject.cache.clearCache(completion: done)
                subject.cache.store(image, forKey: "b", completionHandler: nil)
            }
            #expect(!subject.cache.isCached(forKey: "a"))
            #expect(subject.storage.isCached(forKey: "b") && subject.cache.imageCachedType(forKey: "b") == .memory)
        }
    }

    @Test func `clearing the disk posts no notification`() async throws {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            try await subject.cache.store(Pictures.image(), forKey: "a")
            await subject.onceDone { subject.cache.clearDiskCache(completion: $0) }
            await subject.cache.clearCache()
            await subject.settle()
            #expect(notifications.postings.isEmpty)
        }
    }
}
