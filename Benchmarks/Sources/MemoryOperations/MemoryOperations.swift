import Dispatch
import Foundation
import Halcyon

/// Compares the memory storage with a dictionary that takes a lock for each operation, in one run, taking turns.
///
/// Absolute times depend on the machine; the ratios are what counts. Both suffer from the processor's caches as entries
/// become more.
@main
enum MemoryOperations {
    static func main() {
        print("| operation | entries | Halcyon, ns | dictionary with lock, ns | ratio |")
        print("|---|---|---|---|---|")
        for (count, rounds) in [(1_000, 301), (100_000, 15), (1_000_000, 5)] { Bench(count: count).run(rounds: rounds) }
    }
}

final class Picture: CacheCostCalculable, Sendable {
    var cacheCost: Int { 1_000 }
}

/// What both have to do.
protocol Contestant {
    func store(_ picture: Picture, _ key: String)
    func value(_ key: String) -> Picture?
    func contains(_ key: String) -> Bool
    func remove(_ key: String)
}

struct Ours: Contestant {
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

final class LockedDictionary: Contestant {
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
final class Bench {
    private let count: Int
    private let keys: [String]
    /// A second world of keys, to push the first one out.
    private let otherKeys: [String]
    private let pictures: [Picture]
    private var times: [String: (ours: [Double], theirs: [Double])] = [:]
    private var order: [String] = []

    init(count: Int) {
        self.count = count
        keys = (0..<count).map { "https://example.com/images/\($0).png" }.shuffled()
        otherKeys = (0..<count).map { "https://example.com/others/\($0).png" }.shuffled()
        pictures = (0..<count).map { _ in Picture() }
    }

    func run(rounds: Int) {
        // The first one warms up.
        for round in 0...rounds {
            if round == 1 { times = [:] }
            playRound()
        }
        for name in order {
            guard let (ours, theirs) = times[name].map({ (median($0.ours), median($0.theirs)) }) else { continue }
            print("| \(name) | \(count) | \(text(ours, 0)) | \(text(theirs, 0)) | \(text(ours / theirs, 2)) |")
        }
    }

    private func playRound() {
        let (ours, theirs) = (Ours(), LockedDictionary())
        compare("store, new key", ours, theirs) { $0.store(self.pictures[$1], self.keys[$1]) }
        let scattered = keys.indices.shuffled()
        compare("value, hit", ours, theirs) { _ = $0.value(self.keys[scattered[$1]]) }
        compare("value, miss", ours, theirs) { _ = $0.value(self.otherKeys[$1]) }
        compare("isCached, hit", ours, theirs) { _ = $0.contains(self.keys[scattered[$1]]) }
        compare("store, known key", ours, theirs) { $0.store(self.pictures[$1], self.keys[scattered[$1]]) }
        compare("remove", ours, theirs) { $0.remove(self.keys[scattered[$1]]) }
        evict()
    }

    /// At the count limit each store evicts. The dictionary is told what to remove.
    private func evict() {
        let (ours, theirs) = (Ours(countLimit: count), LockedDictionary())
        for index in keys.indices {
            ours.store(pictures[index], keys[index])
            theirs.store(pictures[index], keys[index])
        }
        let ourTime = nanoseconds { ours.store(pictures[$0], otherKeys[$0]) }
        let theirTime = nanoseconds {
            theirs.remove(keys[$0])
            theirs.store(pictures[$0], otherKeys[$0])
        }
        note("store that evicts (dictionary: remove and store)", ourTime, theirTime)
    }

    private func compare<Mine: Contestant, Other: Contestant>(
        _ name: String, _ ours: Mine, _ theirs: Other, _ body: (any Contestant, Int) -> Void
    ) {
        note(name, nanoseconds { body(ours, $0) }, nanoseconds { body(theirs, $0) })
    }

    private func note(_ name: String, _ ours: Double, _ theirs: Double) {
        if !order.contains(name) { order.append(name) }
        times[name, default: ([], [])].ours.append(ours)
        times[name, default: ([], [])].theirs.append(theirs)
    }

    /// Of one operation, in the mean of all entries.
    private func nanoseconds(_ body: (Int) -> Void) -> Double {
        let begin = DispatchTime.now().uptimeNanoseconds
        for index in 0..<count { body(index) }
        return Double(DispatchTime.now().uptimeNanoseconds - begin) / Double(count)
    }

    private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    private func text(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
