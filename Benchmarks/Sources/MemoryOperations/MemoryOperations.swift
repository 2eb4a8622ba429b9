import Dispatch
import Foundation
import Halcyon

/// Compares the memory storage with a dictionary that takes a lock for each operation, in one run, taking turns.
///
/// Absolute times depend on the machine; the ratios are what counts. Both suffer from the processor's caches as entries
/// become more. Arguments are numbers of entries.
@main
enum MemoryOperations {
    static func main() {
        print("| operation | entries | Halcyon, ns | dictionary with lock, ns | ratio |")
        print("|---|---|---|---|---|")
        let counts = CommandLine.arguments.dropFirst().compactMap(Int.init)
        for count in counts.isEmpty ? [1_000, 100_000, 1_000_000] : counts {
            Bench(count: count).run(rounds: max(5, 1_500_000 / count * 2 + 1))
        }
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
    /// Who comes second finds keys and pictures in the processor's caches: they take turns.
    private var oursComesFirst = true

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
            oursComesFirst.toggle()
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
        compare("store that evicts (dictionary: remove and store)", ours, theirs) {
            if $0 is LockedDictionary { $0.remove(self.keys[$1]) }
            $0.store(self.pictures[$1], self.otherKeys[$1])
        }
    }

    private func compare(
        _ name: String, _ ours: Ours, _ theirs: LockedDictionary, _ body: @escaping (any Contestant, Int) -> Void
    ) {
        if !order.contains(name) { order.append(name) }
        let playOurs = { self.times[name, default: ([], [])].ours.append(self.nanoseconds { body(ours, $0) }) }
        let playTheirs = { self.times[name, default: ([], [])].theirs.append(self.nanoseconds { body(theirs, $0) }) }
        if oursComesFirst { playOurs() }
        playTheirs()
        if !oursComesFirst { playOurs() }
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
