import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Work on all entries runs in batches: lookups never wait for a batch, and a store waits for at most one.
@Suite(.endsEvenIfItHangs) struct DeadlineTests {
    typealias Storage = DiskStorage.Backend<Data>

    enum Walk: String, CaseIterable {
        case evict, expire, removeAll, removeMatching, adopt, distrust, relearn, removeOrphans,
            settleTrash,
            repairRows, repairFiles, flush, clamp

        /// The commits before the first batch, plus a batch or two, so that the test stops one in the middle.
        static let commitsBefore = 3

        var isSweep: Bool { [.adopt, .distrust, .relearn, .removeOrphans, .settleTrash].contains(self) }
        var needsFiles: Bool { ![.flush, .clamp].contains(self) }
        var removesEverything: Bool { [.evict, .removeAll, .removeMatching].contains(self) }
    }

    private static let count = 160

    @Test(arguments: Walk.allCases)
    func `no lookup waits for a batch, and a store runs after at most one`(walk: Walk) throws {
        try check(walk, Self.smallBatches)
    }

    /// No batch has time for a second entry, as if examining or moving a file took seconds.
    @Test(arguments: Walk.allCases.filter(\.needsFiles))
    func `on a slow disk, a batch ends before it is complete`(walk: Walk) throws {
        var tuning = Tuning.patient
        (tuning.batchTime, tuning.flushInterval) = (0, 3_600_000)
        try check(walk, tuning)
    }

    private func check(_ walk: Walk, _ tuning: Tuning) throws {
        let (cache, held) = try Self.prepare(walk, tuning)
        held.stop(after: Walk.commitsBefore)
        // The work after an opening begins at once.
        if walk.isSweep { cache.reopen { if walk == .distrust { $0.boot = { "another" } } } }
        let storage = cache.storage
        let walking = Background { Self.run(walk, on: storage) }
        try held.waitUntilHeld()

        // A second process starts during the batch and waits for no lock either.
        let other = try Storage(config: cache.config, environment: Self.quietEnvironment(of: cache))
        for storage in [storage, other] {
            for key in ["kept", "0", "80", "159", "none"] {
                let value = try storage.value(forKey: key)
                #expect([nil, .blob(key == "kept" ? 1 : 2)].contains(value))
                #expect(storage.isCached(forKey: key) == (value != nil))
                if key == "kept", !walk.removesEverything { #expect(value == .blob(1)) }
            }
        }
        #expect(held.isHolding, "all of that while the batch was under way")

        let stores = [storage, other].enumerated().map { number, storage in
            Background {
                try? storage.store(value: .blob(3), forKey: "meanwhile \(number)", expiration: .never)
                return held.batches
            }
        }
        held.letCommit()
        for store in stores { #expect(store.wait() == 1, "\(walk): not one batch more came before the store") }
        held.letGoOn()
        walking.wait()
        #expect(held.batches > 1, "\(walk): the walk went on afterwards")
        #expect(try storage.value(forKey: "kept") == .blob(1) || walk.removesEverything)
        other.store.close()
        cache.settle()
        _ = try storage.check(repair: true)
        try cache.requireClean()
    }

    // MARK: The walks

    /// The environment of another process, without hooks.
    private static func quietEnvironment(of cache: CacheFixture) -> StorageEnvironment {
        var environment = cache.environment
        environment.vfs = nil
        environment.pause = StorageEnvironment().pause
        environment.fileSystem = POSIXFileSystem()
        return environment
    }

    private static var smallBatches: Tuning {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        tuning.flushBatchSize = 8
        tuning.adoptionBatchSize = 8
        // Keeps housekeeping from doing any of it earlier.
        tuning.flushInterval = 3_600_000
        return tuning
    }

    private static func prepare(_ walk: Walk, _ tuning: Tuning) throws -> (CacheFixture, HeldWalk) {
        let held = HeldWalk()
        let cache = try CacheFixture(tuning: tuning) { $0.sizeLimit = walk == .evict ? 1 : 0 }
        cache.beforeCommit { held.beforeCommit() }
        cache.environment.pause = { _ in held.betweenBatches() }
        cache.fileSystem.observe { call, path in
            if call == .unlink, path.contains("/trash/") { held.betweenBatches() }
        }
        try fill(cache, expiration: walk == .expire ? .seconds(60) : .days(9))
        try cache.makeWork(for: walk)
        return (cache, held)
    }

    private static func fill(_ cache: CacheFixture, expiration: StorageExpiration) throws {
        for number in 0..<count {
            try cache.storage.store(value: .blob(2), forKey: "\(number)", expiration: expiration)
        }
        try cache.storage.store(value: .blob(1), forKey: "kept", expiration: .never)
        cache.settle()
    }

    private static func run(_ walk: Walk, on storage: Storage) {
        switch walk {
        case .evict: _ = try? storage.removeSizeExceededValues()
        case .expire: _ = try? storage.removeExpiredValues()
        case .removeAll: try? storage.removeAll()
        case .removeMatching: _ = try? storage.removeEntries(matching: .all)
        case .adopt, .distrust, .relearn, .removeOrphans, .settleTrash:
            storage.store.housekeepingWait()
        case .repairRows, .repairFiles: _ = try? storage.check(repair: true)
        case .flush: storage.store.flushAccessLogNow()
        case .clamp: _ = try? storage.removeExpiredValues()
        }
    }
}

extension CacheFixture {
    /// Prepares the cache so that the walk has to process all entries.
    fileprivate func makeWork(for walk: DeadlineTests.Walk) throws {
        switch walk {
        case .evict, .removeAll, .removeMatching: break
        case .expire: clock.advance(by: 120)
        case .adopt:
            storage.store.close()
            try FileManager.default.removeItem(at: metadata)
        case .distrust:
            try storage.store(value: .blob(1), forKey: "kept", expiration: .never)
            clock.advance(by: 3_600)
            for number in 0..<160 { try storage.store(value: .blob(2), forKey: "\(number)") }
            settle()
            storage.store.close()
        case .relearn:
            storage.store.close()
            let copy = folder.url.appendingPathComponent("copy")
            try FileManager.default.copyItem(at: directory, to: copy)
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.moveItem(at: copy, to: directory)
        case .removeOrphans:
            for number in 0..<100 {
                let name = BlobName(key: "orphan \(number)", isHashed: true, pathExtension: nil).text
                try Data.blob(5).write(to: directory.appendingPathComponent(name))
            }
            clock.advance(by: 2 * 86_400)
            storage.store.close()
        case .settleTrash:
            storage.store.close()
            for number in 0..<100 { try Data.blob(5).write(to: metadata.appendingPathComponent("trash/\(number).7")) }
        case .repairRows:
            for number in 0..<100 { try FileManager.default.removeItem(at: storage.cacheFileURL(forKey: "\(number)")) }
        case .repairFiles:
            for number in 0..<100 {
                let name = BlobName(key: "orphan \(number)", isHashed: true, pathExtension: nil).text
                try Data.blob(5).write(to: directory.appendingPathComponent(name))
            }
        case .flush:
            for number in 0..<160 { _ = try storage.value(forKey: "\(number)") }
        case .clamp: clock.advance(by: -30 * 86_400)
        }
    }
}

/// Work on its own thread, and its result.
final class Background<Result: Sendable>: Sendable {
    private let result: Locked<Result?> = Locked(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Result) {
        Thread.detachNewThread { [self] in
            let value = body()
            result.withLock { $0 = value }
            isDone.signal()
        }
    }

    @discardableResult func wait() -> Result? {
        isDone.wait()
        return result.withLock { $0 }
    }
}
