import BenchReport
import Foundation
import Halcyon

/// The memory storage compared with a dictionary that takes a lock for each operation.
///
/// Both depend on the processor's caches as the number of entries grows: a round is one pass through all of them.
struct MemoryOperations {
    let plan: Plan

    static let names = [
        "memory_store_new", "memory_value_hit", "memory_value_miss", "memory_is_cached_hit", "memory_overwrite",
        "memory_remove", "memory_store_evicting",
    ]

    func rows() -> [ResultRow] {
        plan.memoryCounts.flatMap { count -> [ResultRow] in
            Progress.say("memory: \(FigureText.count(count)) entries")
            return MemoryComparison(count: count).rows(rounds: min(51, max(plan.rounds, 100_000 / count)))
        }
    }
}

private final class Picture: CacheCostCalculable, Sendable {
    var cacheCost: Int { 1_000 }
}

/// The common operations of both.
private protocol MemoryContestant {
    func store(_ picture: Picture, _ key: String)
    func value(_ key: String) -> Picture?
    func contains(_ key: String) -> Bool
    func remove(_ key: String)
}

private struct HalcyonMemory: MemoryContestant {
    let storage: MemoryStorage.Backend<Picture>

    init(countLimit: Int = .max) {
        var config = MemoryStorage.Config(totalCostLimit: 0, cleanInterval: 0)
        config.countLimit = countLimit
        storage = MemoryStorage.Backend(config: config)
    }

    func store(_ picture: Picture, _ key: String) { storage.store(value: picture, forKey: key) }
    func value(_ key: String) -> Picture? { storage.value(forKey: key) }
    func contains(_ key: String) -> Bool { storage.isCached(forKey: key) }
    func remove(_ key: String) { storage.remove(forKey: key) }
}

private final class LockedDictionary: MemoryContestant {
    private let lock = NSLock()
    private var pictures: [String: Picture] = [:]

    func store(_ picture: Picture, _ key: String) { locked { pictures[key] = picture } }
    func value(_ key: String) -> Picture? { locked { pictures[key] } }
    func contains(_ key: String) -> Bool { locked { pictures[key] != nil } }
    func remove(_ key: String) { locked { pictures[key] = nil } }

    private func locked<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}

/// One number of entries.
private final class MemoryComparison {
    private let keys: [String]
    /// A second set of keys: each key is missing until it evicts one of the first set.
    private let otherKeys: [String]
    private let pictures: [Picture]
    private var outcomes: [String: Outcome] = [:]
    /// They take turns, because the second one finds keys and pictures in the processor's caches.
    private var oursComesFirst = true

    init(count: Int) {
        keys = (0..<count).map(Item.key).shuffled()
        otherKeys = (count..<2 * count).map(Item.key).shuffled()
        pictures = (0..<count).map { _ in Picture() }
    }

    func rows(rounds: Int) -> [ResultRow] {
        playRound()
        // The first one warmed up.
        outcomes = [:]
        for _ in 0..<rounds {
            oursComesFirst.toggle()
            playRound()
        }
        return MemoryOperations.names.compactMap(row)
    }

    private func row(_ name: String) -> ResultRow? {
        guard let outcome = outcomes[name], let figure = Figure(outcome[.halcyon]) else { return nil }
        var row = ResultRow(name, on: .memory, entries: keys.count, halcyon: figure)
        row.limit = Figure(outcome[.limit])
        row.limitName = "dictionary with a lock"
        row.target = .ratio(3)
        // Means have no tail.
        row.halcyon.p99 = nil
        row.limit?.p99 = nil
        return row
    }

    private func playRound() {
        let (ours, theirs) = (HalcyonMemory(), LockedDictionary())
        let scattered = keys.indices.shuffled()
        compare("memory_store_new", ours, theirs) { $0.store(self.pictures[$1], self.keys[$1]) }
        compare("memory_value_hit", ours, theirs) { _ = $0.value(self.keys[scattered[$1]]) }
        compare("memory_value_miss", ours, theirs) { _ = $0.value(self.otherKeys[$1]) }
        compare("memory_is_cached_hit", ours, theirs) { _ = $0.contains(self.keys[scattered[$1]]) }
        compare("memory_overwrite", ours, theirs) { $0.store(self.pictures[$1], self.keys[scattered[$1]]) }
        compare("memory_remove", ours, theirs) { $0.remove(self.keys[scattered[$1]]) }
        playEviction()
    }

    /// At the count limit each store evicts. The benchmark tells the dictionary what to remove.
    private func playEviction() {
        let (ours, theirs) = (HalcyonMemory(countLimit: keys.count), LockedDictionary())
        for index in keys.indices {
            ours.store(pictures[index], keys[index])
            theirs.store(pictures[index], keys[index])
        }
        compare("memory_store_evicting", ours, theirs) {
            if $0 is LockedDictionary { $0.remove(self.keys[$1]) }
            $0.store(self.pictures[$1], self.otherKeys[$1])
        }
    }

    private func compare(
        _ name: String, _ ours: HalcyonMemory, _ theirs: LockedDictionary,
        _ body: @escaping (any MemoryContestant, Int) -> Void
    ) {
        let add = { (role: Contestant.Role, memory: any MemoryContestant) in
            let mean = self.mean { body(memory, $0) }
            self.outcomes[name, default: Outcome()][role].add([mean])
        }
        if oursComesFirst { add(.halcyon, ours) }
        add(.limit, theirs)
        if !oursComesFirst { add(.halcyon, ours) }
    }

    /// Microseconds of one operation, in the mean of all entries.
    private func mean(_ body: (Int) -> Void) -> Double {
        microseconds { for index in keys.indices { body(index) } } / Double(keys.count)
    }
}
