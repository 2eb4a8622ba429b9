import BenchReport
import Foundation
import Halcyon

/// How long readers and a store wait during an eviction, compared with the time without one: p99 against p99. The bare calls during the
/// unlinking of bare files show the disk's share.
struct EvictionWaits {
    let world: World

    static let names = ["is_cached_hit_p99_evicting", "value_hit_p99_evicting", "store_p99_evicting"]
    private static let allowances: [Target] = [.ratio(3), .ratio(3), .atMost(30_000)]

    func rows() throws -> [ResultRow] {
        let items = try freshItems()
        let ours = calls(try world.halcyon.storage(), items)
        let bare = bareCalls(items)
        let idle = ours.waits { $0 < 1e6 }
        let bareIdle = bare.waits { $0 < 1e6 }
        let gone = Locker<[String]>([])
        let evicting = ours.waits(during: try eviction(noting: gone))
        try world.halcyon.storage().config.sizeLimit = 0
        // Enough calls for a tail.
        let paths = gone.value.prefix(10_000).map(world.bare.path)
        let unlinking = bare.waits(during: inBackground { paths.forEach(BareFiles.remove) })
        return Self.names.indices.compactMap { index in
            row(index, evicting[index], idle: idle[index], bare: (bareIdle[index], unlinking[index]), gone.value.count)
        }
    }

    private func row(
        _ index: Int, _ evicting: Samples, idle: Samples, bare: (idle: Samples, unlinking: Samples), _ evicted: Int
    ) -> ResultRow? {
        var outcome = Outcome()
        outcome[.halcyon] = evicting.tails
        outcome[.limit] = idle.tails
        var row = world.row(Self.names[index], outcome, limitName: "idle p99", target: Self.allowances[index])
        row?.extras = ["evicted": Double(evicted)]
        row?.extras["bare_idle_p99_us"] = bare.idle.tails.median
        row?.extras["bare_unlinking_p99_us"] = bare.unlinking.tails.median
        return row
    }

    /// Used a moment ago, so that the eviction keeps them.
    private func freshItems() throws -> [Item] {
        let (items, data, storage) = (world.newItems(500), blob(World.blobSize), try world.halcyon.storage())
        for item in items {
            try storage.store(value: data, forKey: item.key)
            world.storeBare(data, item)
        }
        return items
    }

    /// Of half of what is left, 100 000 entries at most.
    private func eviction(noting gone: Locker<[String]>) throws -> BackgroundTask {
        let storage = try world.halcyon.storage()
        let total = try storage.totalSize()
        let need = min(total / 2, UInt(100_000 * World.blobSize))
        storage.config.lowWaterRatio = Double(total - need) / Double(total)
        storage.config.sizeLimit = total
        return inBackground {
            // If nothing is evicted, there are no bare files to delete, which shows in the result.
            let urls = (try? storage.removeSizeExceededValues()) ?? []
            gone.value = urls.map(\.lastPathComponent)
        }
    }

    // MARK: The calls

    private func calls(_ storage: DiskStorage.Backend<Data>, _ items: [Item]) -> WaitingCalls {
        let data = blob(World.blobSize)
        return WaitingCalls(world: world, items: items) {
            require(storage.isCached(forKey: $0.key))
        } value: {
            require((try? storage.value(forKey: $0.key)) != nil)
        } store: { item in
            // A refused store has waited as well.
            try? storage.store(value: data, forKey: item.key)
        }
    }

    private func bareCalls(_ items: [Item]) -> WaitingCalls {
        let data = blob(World.blobSize)
        return WaitingCalls(world: world, items: items) {
            BareFiles.exists($0.barePath)
        } value: {
            BareFiles.load($0.barePath)
        } store: {
            world.storeBare(data, $0)
        }
    }
}

/// Alternates checks and reads for a while, and stores a new entry once in twenty times.
private struct WaitingCalls {
    let world: World
    let items: [Item]
    let isCached: (Item) -> Void
    let value: (Item) -> Void
    let store: (Item) -> Void

    init(
        world: World, items: [Item], isCached: @escaping (Item) -> Void, value: @escaping (Item) -> Void,
        store: @escaping (Item) -> Void
    ) {
        self.world = world
        self.items = items
        self.isCached = isCached
        self.value = value
        self.store = store
    }

    func waits(during task: BackgroundTask) -> [Samples] {
        defer { task.wait() }
        return waits { _ in task.isRunning }
    }

    /// - Parameter goesOn: receives the microseconds since the beginning.
    func waits(while goesOn: (Double) -> Bool) -> [Samples] {
        var times: [[Double]] = [[], [], []]
        let begin = now()
        var number = 0
        while goesOn(now() - begin) {
            let item = items[number % items.count]
            times[0].append(microseconds { isCached(item) })
            times[1].append(microseconds { value(item) })
            if number % 20 == 0, let new = world.newItems(1).first { times[2].append(microseconds { store(new) }) }
            number += 1
        }
        return times.map { Samples(rounds: thirds($0)) }
    }

    private func thirds(_ times: [Double]) -> [[Double]] {
        let length = max(1, (times.count + 2) / 3)
        return stride(from: 0, to: times.count, by: length).map { Array(times[$0..<min($0 + length, times.count)]) }
    }
}
