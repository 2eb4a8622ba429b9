package import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// All uses of a cache by a process, one after the other, on two storages of one folder. Tests observe what happens to the files of the
/// index meanwhile.
package final class EveryUse {
    package let fileSystem = FaultyFileSystem()
    private let parent: URL
    private let clock = ManualClock()
    private let boot = Locked("one")
    private lazy var first = makeStorage()
    private lazy var second = makeStorage()

    /// - Parameter parent: an empty folder.
    package init(in parent: URL) { self.parent = parent }

    package enum Step: CaseIterable, Sendable {
        case adopt, store, read, list, remove, keepUp, look, suspend, reopen, restart, forgetKeys
        case loseLog, loseIndex, findDamage, upgrade, clear
    }

    /// The path of the index.
    package var index: String { "\(folder.path)/.halcyon/index.sqlite" }
    private var folder: URL { first.directoryURL }

    /// Both storages have the index open afterwards.
    package func perform(_ step: Step) throws {
        try change(step)
        for storage in [first, second] { _ = try storage.totals() }
    }

    // MARK: Storages

    private var environment: StorageEnvironment {
        var environment = StorageEnvironment()
        environment.fileSystem = fileSystem
        environment.tuning = .patient
        environment.now = { [clock] in clock.now }
        environment.uptime = { [clock] in clock.uptime }
        environment.boot = { [boot] in boot.withLock { $0 } }
        environment.warn = { _ in }
        return environment
    }

    private func makeStorage(_ configure: (inout DiskStorage.Config) -> Void = { _ in }) -> DiskStorage.Backend<Data> {
        var config = DiskStorage.Config(name: "everything", sizeLimit: 0, directory: parent)
        configure(&config)
        return DiskStorage.Backend(noThrowConfig: config, creatingDirectory: false, environment: environment)
    }

    private func closeBoth() { for storage in [first, second] { storage.store.close() } }

    private func settle() {
        for storage in [first, second] {
            storage.store.housekeepingWait()
            storage.store.housekeepingWait()
        }
    }

    // MARK: Steps

    private func change(_ step: Step) throws {
        switch step {
        case .adopt: try adopt()
        case .store: try store()
        case .read: try read()
        case .list: try list()
        case .remove: try remove()
        case .keepUp: try keepUp()
        case .look: try look()
        case .suspend:
            first.suspend()
            first.resume()
        case .reopen: first.store.close()
        case .restart:
            boot.withLock { $0 = "two" }
            closeBoth()
        case .forgetKeys: first = makeStorage { $0.storesKeys = false }
        case .loseLog: try takeAway(["-wal", "-shm"])
        case .loseIndex: try takeAway(["", "-wal", "-shm"])
        case .findDamage: try damage()
        case .upgrade:
            closeBoth()
            try OlderIndex.make(version: 1, at: index)
        case .clear: try first.removeAll()
        }
        settle()
    }

    private func adopt() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for seed in 0..<20 { try Data.blob(seed).write(to: first.cacheFileURL(forKey: "\(seed)")) }
    }

    private func store() throws {
        for seed in 0..<40 {
            let lifetime: StorageExpiration = seed < 20 ? .days(9) : .seconds(60)
            try first.store(value: .blob(seed), forKey: "\(seed % 30)", expiration: lifetime)
        }
        for result in try second.storeTogether([("2", .blob(5)), ("50", .blob(50))]) { try result.get() }
    }

    private func read() throws {
        for seed in 0..<60 {
            _ = try second.value(forKey: "\(seed)", extendingExpiration: .expirationTime(.days(20)))
            _ = first.isCached(forKey: "\(seed)")
            _ = try first.entry(forKey: "\(seed)")
        }
        _ = try first.update(.init(isPinned: true, tags: ["kept"]), forKey: "2")
        second.store.flushAccessLogNow()
    }

    private func list() throws {
        for order in [DiskStorage.EntryOrder.access, .size, .key] { _ = try first.entries(sortedBy: order, limit: 5) }
        _ = try (first.usage(), first.summary(), first.totals(matching: .init(tag: "kept")))
        try first.forEachEntry(matching: .init(host: "a"), sortedBy: .key, descending: false) { _ in }
    }

    private func remove() throws {
        try first.remove(forKey: "3")
        _ = try first.removeEntries(matching: .init(keyPrefix: "1"))
        clock.advance(by: 3_600)
        _ = try second.removeExpiredValues()
        _ = try second.evict(StorageLimits(bytes: 1_000)) { _ in true }
    }

    /// Creates something to repair.
    private func keepUp() throws {
        try store()
        try FileManager.default.removeItem(at: first.cacheFileURL(forKey: "4"))
        try Data.blob(9).write(to: first.cacheFileURL(forKey: "nobody's"))
        _ = try first.check()
        _ = try second.check(repair: true)
        _ = second.store.index.checkpoint()
        try first.store.index.shrink()
    }

    /// As another program would.
    private func look() throws {
        _ = try IndexSnapshot.read(at: folder.path, rows: 5, hosts: 5)
        _ = try UpgradePlan(folder: folder.path)
    }

    private func takeAway(_ suffixes: [String]) throws {
        for suffix in suffixes { try FileManager.default.removeItem(atPath: index + suffix) }
        try store()
    }

    /// Replaces the index with a file that is not an index. Writing into the index would first have to open it.
    private func damage() throws {
        let rubbish = parent.appendingPathComponent("rubbish").path
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: rubbish))
        try POSIXFileSystem().rename(rubbish, to: index)
        try store()
    }
}
