import BenchReport
import Foundation
import Halcyon

extension Operation {
    /// Operations that delete, which run last and in this order.
    static var removing: [Operation] {
        [
            Operation(names: ["evict_half"], phase: .removing) { world, plan in
                try Eviction(world: world).rows(parts: plan.rounds)
            },
            Operation(names: EvictionWaits.names, phase: .removing, isMeasured: { $0 >= 100_000 }) { world, _ in
                try EvictionWaits(world: world).rows()
            },
            Operation(names: ["remove_all"], phase: .removing) { world, _ in try removeAll(world) },
        ]
    }

    private static func removeAll(_ world: World) throws -> [ResultRow] {
        let storage = try world.halcyon.storage()
        let count = Int(try storage.totals().entries)
        let paths = world.bare.names().prefix(count).map(world.bare.path)
        // Stores during an eviction created more entries in one folder than in the other.
        let share = Double(count) / Double(paths.count)
        var outcome = Outcome()
        let neighbour = Neighbour(storage: storage)
        let meanwhile = inBackground { neighbour.storeNowAndThen() }
        outcome[.halcyon].add([try microseconds { try storage.removeAll() }])
        neighbour.stop()
        meanwhile.wait()
        outcome[.limit].add([microseconds { paths.forEach(BareFiles.remove) } * share])
        var row = world.row(
            "remove_all", outcome, limitName: "unlink", target: .ratio(world.volume.kind == .disk ? 1.2 : 3))
        row?.entries = count
        row?.extras = ["longest_wait_us": neighbour.longestWait]
        return [row].compactMap { $0 }
    }
}

/// Half of the entries, in parts, because it can be done only once: after each part, the bare unlinks of the same names.
struct Eviction {
    let world: World

    func rows(parts: Int) throws -> [ResultRow] {
        let total = try world.halcyon.storage().totals()
        var outcome = Outcome()
        var evicted = 0
        for _ in 0..<parts {
            let (time, names) = try evict(bytes: UInt(total.bytes) / UInt(parts * 2))
            evicted += names.count
            outcome[.halcyon].add([time * Double(parts)])
            world.halcyon.settle()
            outcome[.limit].add([unlink(names) * Double(parts)])
        }
        if let attributes = world.attributes {
            attributes.settle()
            let size = try attributes.totalSize()
            outcome[.attribute].add([try microseconds { try attributes.evict(limit: size) }])
        }
        var row = world.row(
            "evict_half", outcome, limitName: "unlink", target: .ratio(world.volume.kind == .disk ? 1.2 : 3))
        row?.entries = Int(total.entries)
        row?.extras = ["evicted": Double(evicted)]
        return [row].compactMap { $0 }
    }

    /// - Returns: microseconds, and the removed entries.
    func evict(bytes: UInt) throws -> (time: Double, names: [String]) {
        let storage = try world.halcyon.storage()
        let total = try storage.totalSize()
        storage.config.lowWaterRatio = Double(total - bytes) / Double(total)
        storage.config.sizeLimit = total
        defer { storage.config.sizeLimit = 0 }
        var gone: [URL] = []
        let time = try microseconds { gone = try storage.removeSizeExceededValues() }
        require(!gone.isEmpty)
        return (time, gone.map(\.lastPathComponent))
    }

    func unlink(_ names: [String]) -> Double {
        let paths = names.map(world.bare.path)
        return microseconds { paths.forEach(BareFiles.remove) }
    }
}
