import Foundation
import Halcyon

/// Uses a cache while another process is stopped and holds its write lock.
final class Bystander {
    let worker: Worker
    private let path: String
    private var violations: [Violation] = []
    /// A value of the facade does not identify its store, so it has a separate key.
    private let picture = "picture"

    init(number: Int, folder: URL, keys: KeySpace, log path: String) throws {
        self.path = path
        let cache = Cache(folder: folder, tuning: Self.tuning)
        worker = Worker(number: number, keys: keys, cache: cache, journal: try Journal(path: path))
    }

    /// Its timeout is too short to wait for a stopped process.
    private static var tuning: Tuning {
        var tuning = Tuning()
        tuning.writerTimeout = 50
        return tuning
    }

    func log() throws -> WorkerLog { try WorkerLog(worker: worker.number, path: path, goneAt: MonotonicClock.now) }

    // MARK: While the lock is held

    func lookAround() throws -> [Violation] {
        violations = []
        // The verifier judges these answers with all others.
        for key in worker.keys.all {
            try worker.perform(.isCached(key: key))
            try worker.perform(.value(key: key))
        }
        try worker.perform(.page)
        try expectBusy(.store(key: worker.keys.pinned[0], length: 700, isLasting: true))
        try expectBusy(.store(key: worker.keys.loose[0], length: 700, isLasting: true))
        try expectFacadeToWork()
        try expectNewcomerToBeTold()
        return violations
    }

    /// A store fails with the documented error for a lock that is held too long.
    private func expectBusy(_ operation: CacheOperation) throws {
        try worker.perform(operation)
        expect(busyCause?.code == .indexUnavailable, "\(operation) ended with \(lastErrorText)")
    }

    private var busyCause: CacheStorageError? {
        guard case .cacheError(.cannotCreateCacheFile(_, _, _, let cause))? = worker.lastError as? KingfisherError
        else {
            return nil
        }
        return cause as? CacheStorageError
    }

    private var lastErrorText: String { worker.lastError.map { "\($0)" } ?? "no error" }

    private func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
        if !isTrue { violations.append(Violation(.disagreement, "with the write lock held: \(text())")) }
    }

    /// Memory works, and a store reports that the disk did not store it.
    private func expectFacadeToWork() throws {
        let memory = MemoryStorage.Backend<KFCrossPlatformImage>(config: .init(totalCostLimit: 0, cleanInterval: 0))
        let cache = ImageCache(memoryStorage: memory, diskStorage: worker.cache.storage)
        let stored = Answer<CacheStoreResult>()
        cache.store(
            try TinyPicture.make(), original: TinyPicture.file, forKey: picture, callbackQueue: .untouch
        ) { stored.give($0) }
        guard let result = stored.wait() else { return expect(false, "the facade's store does not call back") }
        expect((try? result.diskCacheResult.get()) == nil, "the facade's store was acknowledged")
        expect(!worker.cache.storage.isCached(forKey: picture), "what the facade could not store is there")
        expect(cache.retrieveImageInMemoryCache(forKey: picture) != nil, "memory has lost an image")
        let loaded = Answer<Result<ImageCacheResult, KingfisherError>>()
        cache.retrieveImage(forKey: "not there", callbackQueue: .untouch) { loaded.give($0) }
        expect((try? loaded.wait()?.get().cacheType) == CacheType.none, "a load of what is not there is no miss")
    }

    /// An opening now cannot write its record, so lookups miss, without errors and without a report of damage.
    private func expectNewcomerToBeTold() throws {
        let newcomer = Cache(folder: worker.cache.folder, tuning: Self.tuning)
        do {
            _ = try newcomer.storage.value(forKey: worker.keys.pinned[0])
        } catch {
            expect(false, "a load of a process that has just begun throws \(error)")
        }
        for warning in newcomer.takeWarnings() { violations.append(Violation(.complaint, warning)) }
    }

    // MARK: Afterwards

    /// Stores until it succeeds, because others may be working.
    func resume() throws -> [Violation] {
        violations = []
        try wait(for: "stores to be taken again") {
            guard let outcome = try? worker.perform(.store(key: worker.keys.pinned[1], length: 800, isLasting: true))
            else { return true }
            return outcome == .done
        }
        for key in worker.keys.pinned { try worker.perform(.value(key: key)) }
        try worker.logWarnings()
        return violations
    }
}

/// The result of a callback, for a thread that waits for it.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        isGiven.signal()
    }

    /// nil after a timeout.
    func wait() -> Value? {
        _ = isGiven.wait(timeout: .now() + 30)
        return value.withLock { $0 }
    }
}
