import BenchReport
import Foundation
import Halcyon

extension Operation {
    static var storing: [Operation] {
        let isLarge = { (count: Int) in count >= 10_000 }
        return [
            Operation(names: ["store_new", World.tailName("store_new")], isMeasured: isLarge, measure: storeNew),
            Operation(names: ["store_burst"], isMeasured: { $0 == 10_000 }, measure: burstThroughCache),
            Operation(names: ["store_burst_8_callers"], isMeasured: { $0 == 10_000 }, measure: burstOfCallers),
            Operation(
                names: ["overwrite", World.tailName("overwrite")], phase: .replacing, isMeasured: isLarge,
                measure: overwrite),
        ]
    }

    private static let storingBare = "create+write+close+rename"

    private static func storeNew(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        try [(4, 2.2), (32, 1.6)].flatMap { size, ratio in
            let outcome = try Turns(rounds: plan.rounds, turns: size == 4 ? 6 : 3).run(
                storers(world, blob(size * 1_024)), items: world.newItems)
            let row = world.row(
                "store_new", bytes: size * 1_024, outcome, limitName: storingBare, target: world.storeTarget(ratio))
            return [row, world.tail(of: outcome, like: row, target: .ofAttribute(1.1))].compactMap { $0 }
        }
    }

    private static func overwrite(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let turns = Turns(rounds: plan.rounds, turns: 4)
        var items = world.differentItems(turns.rounds * turns.turns * turns.length + turns.length)
        let outcome = try turns.run(storers(world, blob(World.blobSize))) { count in
            defer { items.removeFirst(count) }
            return Array(items.prefix(count))
        }
        let row = world.row(
            "overwrite", bytes: World.blobSize, outcome, limitName: "\(storingBare) over the old file",
            target: world.storeTarget(2.2))
        return [row, world.tail(of: outcome, like: row, target: .ofAttribute(1.1))].compactMap { $0 }
    }

    private static func storers(_ world: World, _ data: Data) throws -> [Contestant] {
        let storage = try world.halcyon.storage()
        return world.contestants {
            try storage.store(value: data, forKey: $0.key)
        } limit: {
            world.storeBare(data, $0)
        } attribute: { backend, item in
            try backend.store(data, forKey: item.key)
        }
    }

    // MARK: Bursts

    private static let burst = 1_000

    /// Like an app that shows a page: all calls at once on the cache's queue, until the last handler.
    private static func burstThroughCache(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let cache = try world.halcyon.imageCache()
        let data = blob(World.blobSize)
        var outcome = Outcome()
        for _ in 0..<plan.rounds {
            let items = world.newItems(burst)
            outcome[.halcyon].add([microseconds { store(items, data, in: cache) } / Double(burst)])
            outcome[.limit].add([microseconds { for item in items { world.storeBare(data, item) } } / Double(burst)])
        }
        return burstRow("store_burst", world, outcome, limitName: storingBare)
    }

    private static func store(_ items: [Item], _ data: Data, in cache: ImageCache) {
        let pending = DispatchGroup()
        for item in items {
            pending.enter()
            cache.storeToDisk(data, forKey: item.key) { _ in pending.leave() }
        }
        pending.wait()
    }

    private static func burstOfCallers(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let (storage, data, callers) = (try world.halcyon.storage(), blob(World.blobSize), 8)
        let staged = (0..<callers).map { world.bare.path(".staged-\($0)") }
        var outcome = Outcome()
        for _ in 0..<plan.rounds {
            let parts = (0..<callers).map { _ in world.newItems(burst / callers) }
            let ours = microseconds {
                inParallel(callers) { caller in
                    // A refused store would be faster; the count below finds it.
                    for item in parts[caller] { try? storage.store(value: data, forKey: item.key) }
                }
            }
            require(parts.joined().allSatisfy { storage.isCached(forKey: $0.key) })
            let bare = microseconds {
                inParallel(callers) { caller in
                    for item in parts[caller] { BareFiles.store(data, at: item.barePath, staged: staged[caller]) }
                }
            }
            outcome[.halcyon].add([ours / Double(burst)])
            outcome[.limit].add([bare / Double(burst)])
        }
        return burstRow("store_burst_8_callers", world, outcome, limitName: "\(storingBare), 8 callers")
    }

    private static func burstRow(
        _ name: String, _ world: World, _ outcome: Outcome, limitName: String
    ) -> [ResultRow] {
        let row = world.row(
            name, bytes: World.blobSize, outcome, limitName: limitName,
            target: world.target(2.2, over: 30))
        return [row].compactMap { $0 }
    }
}
