import BenchReport
import Foundation
import Halcyon
import Workload

extension Operation {
    /// A mix of all operations, like that of an app.
    static var mixing: [Operation] {
        [Operation(names: Mixing.names, phase: .replacing, isMeasured: { $0 == 10_000 }, measure: Mixing.rows)]
    }
}

/// Values, looks and stores by turns. What is asked for is there; a store replaces it.
///
/// A contestant's turn is long enough for the work that it puts off to fall into it: Halcyon writes accesses down after a
/// few thousand of them and copies its log after a hundred stores or so, unlinks what was replaced on another thread, and all of
/// that competes with the calls that are timed. Only what is left at the end of a turn is waited for outside the clock, so
/// that it is not charged to the next one.
private enum Mixing {
    private static let kinds: [(kind: Mix.Kind, name: String, limit: String)] = [
        (.value, "mixed_value", "open+fstat+read+close"), (.isCached, "mixed_is_cached", "stat"),
        (.store, "mixed_store", "create+write+close+rename over the old file"),
    ]

    static let names = kinds.flatMap { [$0.name, World.tailName($0.name)] }

    private static let turns = 4
    /// Calls per turn. With this number of turns, a round has 2 000 stores, and five rounds have the 10 000 that a tail needs.
    private static let length = 5_000

    static func rows(_ world: World, _ plan: Plan) throws -> [ResultRow] {
        let outcomes = try play(world, rounds: plan.rounds)
        return kinds.flatMap { kind, name, limit -> [ResultRow] in
            guard let outcome = outcomes[kind] else { return [] }
            let targets = targets(of: kind, in: world)
            let row = world.row(
                name, bytes: kind == .isCached ? nil : World.blobSize, outcome, limitName: limit,
                target: targets.median)
            return [row, world.tail(of: outcome, like: row, target: targets.tail)].compactMap { $0 }
        }
    }

    private static func targets(of kind: Mix.Kind, in world: World) -> (median: Target, tail: Target?) {
        switch kind {
        case .value: (world.target(1.5, over: 4), .ratio(world.volume.kind == .disk ? 3 : 4))
        case .isCached: (.ratio(2), nil)
        case .store: (world.storeTarget(2.2), .ofAttribute(1.1))
        }
    }

    // MARK: Turns

    private typealias Times = [Mix.Kind: [Double]]

    private static func play(_ world: World, rounds: Int) throws -> [Mix.Kind: Outcome] {
        var mix = Mix(entries: world.count)
        let players = try players(in: world)
        var outcomes: [Mix.Kind: Outcome] = [:]
        // Warms up.
        for player in players { _ = try turn(of: player, mix.calls(length), in: world) }
        for _ in 0..<rounds {
            for (role, times) in try round(of: players, in: world, &mix) {
                for (kind, times) in times { outcomes[kind, default: Outcome()][role].add(times) }
            }
        }
        return outcomes
    }

    private static func round(
        of players: [Player], in world: World, _ mix: inout Mix
    ) throws -> [Contestant.Role: Times] {
        var times: [Contestant.Role: Times] = [:]
        for turn in 0..<turns {
            let calls = mix.calls(length)
            for player in turn.isMultiple(of: 2) ? players : players.reversed() {
                times[player.role, default: [:]].merge(try self.turn(of: player, calls, in: world)) { $0 + $1 }
            }
        }
        return times
    }

    private static func turn(of player: Player, _ calls: [Mix.Call], in world: World) throws -> Times {
        let calls = calls.map { ($0.kind, world.item($0.entry)) }
        var times: Times = [:]
        for (kind, item) in calls { times[kind, default: []].append(try microseconds { try player.play(kind, item) }) }
        player.settle()
        return times
    }

    // MARK: Players

    private struct Player {
        let role: Contestant.Role
        let play: (Mix.Kind, Item) throws -> Void
        var settle: () -> Void = {}
    }

    private static func players(in world: World) throws -> [Player] {
        let data = blob(World.blobSize)
        let slow = world.attributes.map { attributes(data, $0) }
        return [try halcyon(data, world), bare(data, world)] + [slow].compactMap { $0 }
    }

    private static func halcyon(_ data: Data, _ world: World) throws -> Player {
        let storage = try world.halcyon.storage()
        return Player(role: .halcyon) { kind, item in
            switch kind {
            case .value: try require(storage.value(forKey: item.key)?.count == data.count)
            case .isCached: require(storage.isCached(forKey: item.key))
            case .store: try storage.store(value: data, forKey: item.key)
            }
        } settle: {
            world.halcyon.settle()
            // A log copy that has just begun is not visible from outside.
            usleep(50_000)
        }
    }

    private static func bare(_ data: Data, _ world: World) -> Player {
        Player(role: .limit) { kind, item in
            switch kind {
            case .value: BareFiles.load(item.barePath)
            case .isCached: require(BareFiles.exists(item.barePath))
            case .store: world.storeBare(data, item)
            }
        }
    }

    private static func attributes(_ data: Data, _ backend: AttributeBackend) -> Player {
        Player(role: .attribute) { kind, item in
            switch kind {
            case .value: try require(backend.value(forKey: item.key)?.count == data.count)
            case .isCached: require(backend.isCached(forKey: item.key))
            case .store: try backend.store(data, forKey: item.key)
            }
        } settle: {
            backend.settle()
        }
    }
}
