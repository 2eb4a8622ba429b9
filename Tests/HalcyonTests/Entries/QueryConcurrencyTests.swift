import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct QueryConcurrencyTests {
    @Test(arguments: [false, true]) func `four threads query while four store and remove`(twoStorages: Bool) throws {
        try withCache { cache in
            for seed in 0..<40 {
                try cache.storage.store(value: .blob(seed, count: seed), forKey: "https://a.b/\(seed)")
            }
            let storages = twoStorages ? [cache.storage, cache.makeStorage()] : [cache.storage, cache.storage]
            let failures: Locked<[String]> = Locked([])
            let base = SeededGenerator.ofThisRun
            DispatchQueue.concurrentPerform(iterations: 8) { worker in
                var generator = base
                for _ in 0...worker { _ = generator.next() }
                do {
                    let storage = storages[worker / 2 % 2]
                    for _ in 0..<25 {
                        let problem =
                            try worker.isMultiple(of: 2) ? ask(storage, &generator) : change(storage, &generator)
                        if let problem { failures.withLock { $0.append(problem) } }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            try cache.requireViews()
        }
    }

    private func change(_ storage: DiskStorage.Backend<Data>, _ generator: inout SeededGenerator) throws -> String? {
        let key = "https://a.b/\(Int.random(in: 0..<60, using: &generator))"
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<6:
            let expiration: StorageExpiration = Bool.random(using: &generator) ? .never : .seconds(100)
            try storage.store(
                value: .blob(1, count: .random(in: 0..<90, using: &generator)), forKey: key, expiration: expiration)
        case 6: try storage.update(.init(isPinned: Bool.random(using: &generator)), forKey: key)
        case 7: _ = try storage.removeEntries(matching: .init(maximumSize: 5))
        case 8: _ = try storage.value(forKey: key)
        default: try storage.remove(forKey: key)
        }
        return nil
    }

    private func ask(_ storage: DiskStorage.Backend<Data>, _ generator: inout SeededGenerator) throws -> String? {
        let filters: [EntryFilter] = [
            .all, .init(host: "a.b"), .init(minimumSize: 20), .init(keyPrefix: "https"), .init(isPinned: true),
        ]
        let filter = filters[Int.random(in: 0..<filters.count, using: &generator)]
        let order = EntryOrder.allCases[Int.random(in: 0..<5, using: &generator)]
        let descending = Bool.random(using: &generator)
        let entries = try storage.entries(matching: filter, sortedBy: order, descending: descending, limit: 30).entries
        _ = try storage.totals(matching: filter)
        guard Set(entries.map(\.fileName)).count == entries.count else { return "\(order): twice on a page" }
        for (left, right) in zip(entries, entries.dropFirst())
        where order.areInOrder(right, left, descending: descending) {
            return "\(order), descending \(descending): out of order"
        }
        return nil
    }

    @Test func `checks, loads and stores wait for no query`() throws {
        try withCache { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let storage = cache.storage
            var steps = 0
            // In the middle of a walk and on its thread: if either call needed the walk's lock, it would deadlock.
            try storage.store.index.readAtLength { session in
                try session.connection.with(joining: ["SELECT id FROM entries"]) { statement in
                    while try statement.step() {
                        steps += 1
                        #expect(try storage.value(forKey: "3") == .blob(3) && storage.isCached(forKey: "4"))
                        #expect(try storage.value(forKey: "missing") == nil)
                        try storage.store(value: .blob(9), forKey: "9")
                        #expect(try storage.entry(forKey: "9") != nil)
                        #expect(try storage.entries(sortedBy: .size).entries.count == 10)
                    }
                }
            }
            #expect(steps == 10)
        }
    }
}

extension EntryOrder {
    /// Whether one entry sorts before another by the visible values; false if they are equal.
    func areInOrder(_ left: DiskStorage.EntryInfo, _ right: DiskStorage.EntryInfo, descending: Bool) -> Bool {
        let (first, second) = descending ? (rank(right), rank(left)) : (rank(left), rank(right))
        return first.lexicographicallyPrecedes(second)
    }

    private func rank(_ entry: DiskStorage.EntryInfo) -> [Double] {
        switch self {
        case .access, .eviction: [entry.lastAccess.timeIntervalSince1970, Double(entry.size)]
        case .size: [Double(entry.size)]
        case .created: [entry.created.timeIntervalSince1970]
        case .expiration: [entry.isPinned ? .infinity : entry.expiration?.timeIntervalSince1970 ?? .infinity]
        case .key: (entry.key ?? "").utf8.map(Double.init)
        }
    }
}
