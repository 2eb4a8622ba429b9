import BenchReport
import Foundation
import Halcyon

extension Operation {
    static var reading: [Operation] {
        [
            Operation(names: ["value_hit"], measure: valueHits),
            Operation(names: ["value_first_look"], isMeasured: { $0 >= 10_000 }, measure: firstLooks),
            Operation(names: ["is_cached_hit"], measure: isCachedHit),
            Operation(names: ["is_cached_miss"], measure: isCachedMiss),
            Operation(names: ["two_readers"], isMeasured: { $0 == 10_000 }, measure: twoReaders),
        ]
    }

    private static let loading = "open+fstat+read+close"

    /// Of keys that were looked up just before.
    private static func valueHits(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        var rows = [
            try valueHit(
                world, Turns(rounds: plan.rounds), bytes: World.blobSize, target: world.target(1.5, over: 4),
                items: world.someItems)
        ]
        guard world.count == 10_000 else { return rows.compactMap { $0 } }
        for (size, target) in [(32, world.target(1.3, over: 4)), (256, world.target(1.3, over: 10))] {
            let items = try storeForReading(world, bytes: size * 1_024)
            rows.append(
                try valueHit(
                    world, Turns(rounds: plan.rounds, turns: 4), bytes: size * 1_024, target: target,
                    items: { Array(items.shuffled().prefix($0)) }))
        }
        return rows.compactMap { $0 }
    }

    private static func valueHit(
        _ world: World, _ turns: Turns, bytes: Int, target: Target, items: (Int) -> [Item]
    ) throws -> ResultRow? {
        let contestants = try readers(of: bytes, in: world).map(\.warmed)
        return world.row(
            "value_hit", bytes: bytes, try turns.run(contestants, items: items), limitName: loading, target: target)
    }

    /// Of keys that were not looked up since the storage was opened. The pages of the index have been read, as far as SQLite keeps
    /// them.
    private static func firstLooks(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let turns = Turns(rounds: plan.rounds, turns: 4)
        let count = turns.length * (turns.rounds * turns.turns + 1)
        var items = world.differentItems(world.count)
        let storage = try world.halcyon.storage()
        storage.close()
        for item in items.dropFirst(count) { require(storage.isCached(forKey: item.key)) }
        // After an opening, each read checks the directory for three seconds.
        Thread.sleep(forTimeInterval: 3.5)
        let outcome = try turns.run(readers(of: World.blobSize, in: world)) { count in
            defer { items.removeFirst(count) }
            return Array(items.prefix(count))
        }
        let row = world.row(
            "value_first_look", bytes: World.blobSize, outcome, limitName: loading,
            target: world.target(2.2, over: 7))
        return [row].compactMap { $0 }
    }

    private static func readers(of bytes: Int, in world: World) throws -> [Contestant] {
        let storage = try world.halcyon.storage()
        return world.contestants {
            try require(storage.value(forKey: $0.key)?.count == bytes)
        } limit: {
            BareFiles.load($0.barePath)
        } attribute: { backend, item in
            try require(backend.value(forKey: item.key)?.count == bytes)
        }
    }

    /// A hundred blobs of another size.
    private static func storeForReading(_ world: World, bytes: Int) throws -> [Item] {
        let (items, data, storage) = (world.newItems(100), blob(bytes), try world.halcyon.storage())
        for item in items {
            try storage.store(value: data, forKey: item.key)
            world.storeBare(data, item)
            try world.attributes?.store(data, forKey: item.key)
        }
        return items
    }

    private static func isCachedHit(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let storage = try world.halcyon.storage()
        let contestants = world.contestants {
            require(storage.isCached(forKey: $0.key))
        } limit: {
            require(BareFiles.exists($0.barePath))
        } attribute: { backend, item in
            require(backend.isCached(forKey: item.key))
        }
        let outcome = try Turns(rounds: plan.rounds).run(contestants.map(\.warmed), items: world.someItems)
        let row = world.row(
            "is_cached_hit", outcome, limitName: "stat", target: .ratio(2))
        return [row].compactMap { $0 }
    }

    /// The same thousand names again and again: the system caches that they do not exist, and is at its fastest.
    private static func isCachedMiss(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let missing = world.newItems(1_000)
        missing.forEach { require(!BareFiles.exists($0.barePath)) }
        let storage = try world.halcyon.storage()
        let contestants = world.contestants {
            require(!storage.isCached(forKey: $0.key))
        } limit: {
            require(!BareFiles.exists($0.barePath))
        } attribute: { backend, item in
            require(!backend.isCached(forKey: item.key))
        }
        let outcome = try Turns(rounds: plan.rounds).run(contestants) { Array(missing.shuffled().prefix($0)) }
        let row = world.row(
            "is_cached_miss", outcome, limitName: "stat of a missing file",
            target: .ratio(4))
        return [row].compactMap { $0 }
    }

    // MARK: Two threads

    /// The throughput of two threads over that of one, for the library and for the bare calls.
    private static func twoReaders(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let storage = try world.halcyon.storage()
        let items = world.differentItems(2_000)
        let load: @Sendable (Item) -> Void = { _ = try? storage.value(forKey: $0.key) }
        let loadBare: @Sendable (Item) -> Void = { BareFiles.load($0.barePath) }
        var outcome = Outcome()
        for _ in 0..<plan.rounds {
            outcome[.halcyon].add([gain(items, load)])
            outcome[.limit].add([gain(items, loadBare)])
        }
        guard
            var row = world.row(
                "two_readers", bytes: World.blobSize, outcome, limitName: "two threads with bare calls",
                target: .atLeast(1.3))
        else { return [] }
        row.unit = .factor
        return [row]
    }

    private static func gain(_ items: [Item], _ read: @escaping @Sendable (Item) -> Void) -> Double {
        let alone = throughput(of: 1, items, read)
        return throughput(of: 2, items, read) / alone
    }

    /// Reads in a microsecond, of all threads together.
    private static func throughput(
        of threads: Int, _ items: [Item], _ read: @escaping @Sendable (Item) -> Void
    ) -> Double {
        let passes = 3
        let time = microseconds {
            inParallel(threads) { thread in
                let (front, back) = (items.prefix(items.count / 2), items.suffix(items.count / 2))
                let mine = thread == 0 ? front + back : back + front
                for _ in 0..<passes { mine.forEach(read) }
            }
        }
        return Double(threads * passes * items.count) / time
    }
}
