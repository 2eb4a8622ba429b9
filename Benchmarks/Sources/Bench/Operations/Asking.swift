import BenchReport
import Foundation
import Halcyon

extension Operation {
    /// Queries about all entries. Queries that walk over all entries run less often.
    static var asking: [Operation] {
        [
            Operation(names: ["total_size"], measure: totalSize),
            Operation(names: ["count"], measure: count),
            Operation(names: ["remove_expired_none"], measure: removeExpiredNone),
            Operation(names: ["evict_victims"], measure: victims),
        ]
    }

    private static let turns = Turns(rounds: 3, turns: 1, length: 50)

    private static func totalSize(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let storage = try world.halcyon.storage()
        let contestants = [
            Contestant(role: .halcyon, play: { _ in try require(storage.totalSize() > 0) }),
            Contestant(role: .limit, play: { _ in require(world.bare.totalSize() > 0) }, calls: 1),
        ]
        let slow = world.attributes.map { backend in
            Contestant(role: .attribute, play: { _ in try require(backend.totalSize() > 0) }, calls: 1)
        }
        return try row("total_size", world, contestants + [slow].compactMap { $0 }, "scan+stat", .atMost(20))
    }

    private static func count(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let storage = try world.halcyon.storage()
        let contestants = [
            Contestant(role: .halcyon, play: { _ in try require(storage.totals().entries >= world.count) }),
            Contestant(role: .limit, play: { _ in require(world.bare.count() >= world.count) }, calls: 1),
        ]
        return try row("count", world, contestants, "scan", .atMost(20))
    }

    private static func removeExpiredNone(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let storage = try world.halcyon.storage()
        let contestants = [
            Contestant(role: .halcyon, play: { _ in try require(storage.removeExpiredValues().isEmpty) })
        ]
        let slow = world.attributes.map { backend in
            Contestant(role: .attribute, play: { _ in try backend.removeExpired() }, calls: 1)
        }
        return try row("remove_expired_none", world, contestants + [slow].compactMap { $0 }, "", .atMost(200))
    }

    /// Of 1 % of the entries.
    private static func victims(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        // Reads have to be in the index, because other processes do not see pending accesses.
        try world.halcyon.flush()
        // Opened first and therefore closed last: a connection that only reads cannot delete the log.
        _ = try world.halcyon.storage().totals()
        let query = try VictimQuery(path: world.halcyon.indexPath)
        let need = max(1, world.count / 100)
        let contestants = [
            Contestant(
                role: .halcyon,
                play: { _ in try require(query.count(bytes: need * World.blobSize, limit: need) > 0) }, calls: 10)
        ]
        return try row("evict_victims", world, contestants, "", .atMost(5_000))
    }

    private static func row(
        _ name: String, _ world: World, _ contestants: [Contestant], _ limit: String, _ target: Target
    ) throws -> [ResultRow] {
        let outcome = try turns.run(contestants, items: world.someItems)
        return [world.row(name, outcome, limitName: limit, target: target)].compactMap { $0 }
    }
}
