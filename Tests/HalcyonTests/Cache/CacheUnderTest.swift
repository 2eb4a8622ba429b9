import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

typealias ImageMemory = MemoryStorage.Backend<KFCrossPlatformImage>
typealias ImageDisk = DiskStorage.Backend<Data>

/// An image cache in its own folder. Memory and disk use the test's clock, and no timer runs.
struct CacheUnderTest: Sendable {
    let disk: CacheFixture
    let cache: ImageCache

    var clock: ManualClock { disk.clock }
    var storage: ImageDisk { cache.diskStorage }

    init(
        tuning: Tuning = .patient, configure: @escaping (inout DiskStorage.Config) -> Void = { _ in },
        making: (ImageMemory, ImageDisk) -> ImageCache = { ImageCache(memoryStorage: $0, diskStorage: $1) }
    ) throws {
        disk = try CacheFixture(tuning: tuning) { config in
            config.cleanInterval = 0
            configure(&config)
        }
        cache = making(Self.memory(clock: disk.clock), disk.storage)
    }

    static func memory(clock: ManualClock, totalCostLimit: Int = 0) -> ImageMemory {
        let config = MemoryStorage.Config(totalCostLimit: totalCostLimit, cleanInterval: 0)
        return MemoryStorage.Backend(config: config) { clock.now.date }
    }

    /// Waits for all calls so far, and for the calls that those have made.
    func settle(rounds: Int = 3) async {
        for _ in 0..<rounds {
            await hop()
            // A clean waits here until the folder has been adopted.
            disk.settle()
            await loadsThatHaveBegun()
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        }
    }

    /// Waits for the loads of all tests that are queued now. A barrier would delay later loads that one of these may be waiting for.
    /// Do not call it while the loads are suspended.
    private func loadsThatHaveBegun() async {
        // All of them have begun before this one.
        await withCheckedContinuation { continuation in ImageCache.loads.start { continuation.resume() } }
        let ended = DispatchGroup()
        for worker in ImageCache.loads.workers { worker.async(group: ended) {} }
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    }

    /// Waits for the work on the cache's queue, and for clears that run beside it.
    func hop() async {
        await withCheckedContinuation { continuation in
            cache.ioQueue.async { cache.onceRemoved { continuation.resume() } }
        }
    }

    /// Makes a call with a handler, waits for the handler, and checks that it is not called twice.
    func once<Value: Sendable>(
        _ location: SourceLocation = #_sourceLocation,
        _ start: (@escaping @Sendable (Value) -> Void) throws -> Void
    ) async rethrows -> Call<Value> {
        let calls = Calls<Value>()
        try start { calls.record($0) }
        let first = await calls.first()
        await settle()
        #expect(calls.count == 1, "the handler is called exactly once", sourceLocation: location)
        return first
    }

    /// The same for handlers without a parameter.
    @discardableResult func onceDone(
        _ location: SourceLocation = #_sourceLocation, _ start: (@escaping @Sendable () -> Void) throws -> Void
    ) async rethrows -> Call<Void> {
        try await once(location) { done in try start { done(()) } }
    }

    // MARK: What most tests do

    /// The result of a load. Its handler must be called once.
    func load(
        _ key: String, _ options: KingfisherOptionsInfo? = nil, _ location: SourceLocation = #_sourceLocation
    ) async throws -> ImageCacheResult {
        try await once(location) { cache.retrieveImage(forKey: key, options: options, completionHandler: $0) }
            .value.get()
    }

    /// The number of file system calls of one kind during `body`.
    func calls(of kind: FaultyFileSystem.Call, during body: () async throws -> Void) async rethrows -> Int {
        let count = Locked(0)
        disk.fileSystem.observe { call, _ in if call == kind { count.withLock { $0 += 1 } } }
        try await body()
        disk.fileSystem.observe(nil)
        return count.withLock { $0 }
    }

    /// Stores raw bytes for that many entries on disk.
    func fill(_ keys: some Sequence<String>, byteCount: Int = 100, expiration: StorageExpiration? = nil) throws {
        for key in keys {
            try storage.store(value: .blob(1, count: byteCount), forKey: key, expiration: expiration)
        }
    }
}

/// Runs a test on its own cache and requires a clean folder at the end.
func withImageCache(
    tuning: Tuning = .patient, configure: @escaping (inout DiskStorage.Config) -> Void = { _ in },
    making: (ImageMemory, ImageDisk) -> ImageCache = { ImageCache(memoryStorage: $0, diskStorage: $1) },
    _ body: (CacheUnderTest) async throws -> Void
) async throws {
    let subject = try CacheUnderTest(tuning: tuning, configure: configure, making: making)
    try await body(subject)
    await subject.settle()
    try subject.disk.requireClean()
}

/// One call of a handler.
struct Call<Value: Sendable>: Sendable {
    let value: Value
    let isOnMainQueue: Bool
}

/// Counts the calls of a handler, and lets a test wait for the first one.
final class Calls<Value: Sendable>: Sendable {
    private struct State {
        var calls: [Call<Value>] = []
        var waiting: CheckedContinuation<Call<Value>, Never>?
    }

    private let state = Locked(State())

    func record(_ value: Value) {
        let call = Call(value: value, isOnMainQueue: MainQueue.isCurrent)
        let waiting = state.withLock { state in
            state.calls.append(call)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: call)
    }

    var count: Int { state.withLock { $0.calls.count } }
    var values: [Value] { state.withLock { $0.calls.map(\.value) } }

    func first() async -> Call<Value> {
        // The thread sanitizer reports a data race if the continuation resumes before the await, unless a lock orders the two.
        defer { state.withLock { _ in } }
        return await withCheckedContinuation { continuation in
            let call = state.withLock { state in
                if state.calls.isEmpty { state.waiting = continuation }
                return state.calls.first
            }
            if let call { continuation.resume(returning: call) }
        }
    }
}

/// The notifications of one cache.
final class CleanNotifications: Sendable {
    struct Posting: Sendable {
        let names: [String]
        let isOnMainQueue: Bool
    }

    private let recorded = Locked<[Posting]>([])
    private nonisolated(unsafe) let observer: any NSObjectProtocol

    init(of cache: ImageCache) {
        observer = NotificationCenter.default.addObserver(
            forName: .KingfisherDidCleanDiskCache, object: cache, queue: nil
        ) { [recorded] notification in
            let names = notification.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String]
            let posting = Posting(names: names ?? ["no names"], isOnMainQueue: MainQueue.isCurrent)
            recorded.withLock { $0.append(posting) }
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    var postings: [Posting] { recorded.withLock { $0 } }
    var names: [[String]] { postings.map { $0.names.sorted() } }
}

/// A serializer that stores an image's file and runs a hook first.
struct HookedSerializer: CacheSerializer {
    var beforeStoring: @Sendable () -> Void = {}
    var beforeLoading: @Sendable () -> Void = {}

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        beforeStoring()
        return DefaultCacheSerializer.default.data(with: image, original: original)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        beforeLoading()
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

/// A serializer that can neither encode nor decode.
struct NoSerializer: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

/// A processor that has only an identifier.
struct Variant: ImageProcessor {
    let identifier: String
    init(_ identifier: String) { self.identifier = identifier }
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension CacheFixture {
    /// Makes the creation of files in the cache's folder fail.
    func refuseFiles() { fileSystem.fail(.createFile, EACCES, times: nil) }

    func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

extension Result {
    var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
