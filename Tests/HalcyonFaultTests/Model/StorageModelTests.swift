import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Whatever is done to a folder in whichever order, two storages on it show what a few dictionaries would.
///
/// A sequence that fails is made as short as it can be and printed as Swift, to be put into ``found``.
@Suite(.endsEvenIfItHangs) struct StorageModelTests {
    /// What failed once.
    static let found: [[StorageAct]] = [
        // A clock put back by a little more than stamps may be ahead hid entries from a removal of everything.
        [.store("a", 7, .seconds(100), by: 1), .pass(-15.057), .removeAll(by: 1)],
        // What was stored before that, and then others after it, looked as if it were stored during the removal.
        [
            .store("d", 7), .pass(-15.057), .store("c", 7), .pass(4), .read("d", .to(.seconds(20))),
            .store("b", 8, .seconds(100)), .removeAll(by: 1),
        ],
        // A store settled its own staged file away, which looked old: the clock was far ahead of the volume's.
        [.store("c", 2, by: 1), .spoil("c", .replace), .pass(1_000), .store("c", 11)],
        [.store("b", 7), .pass(90_000), .spoil("b", .delete), .store("b", 10)],
        [
            .store("d", 0, nil, by: 1), .read("d", .to(.expired), by: 0), .pass(-15.057),
            .removeMatching(.expired, by: 0),
        ],
        // The note of the former entry, from the time ahead, did not make room for that of the new one.
        [
            .store("d", 3, .never, by: 1), .look, .pass(-3600.003), .store("d", 8, nil, by: 0),
            .read("d", .to(.never), by: 1),
        ],
        // The note of an entry of a folder that was deleted was from the time ahead, and kept out that of the new one.
        [
            .removeMatching(.small, by: 0), .pass(-40.091), .store("b", 8, .seconds(100), by: 0),
            .read("b", .none, by: 0), .removeFolder, .store("b", 9, nil, by: 1), .pass(300),
            .read("b", .to(.expired), by: 0),
        ],
        // An eviction wrote notes from the time ahead after it had moved accesses in the future to now.
        [
            .store("d", 10, by: 1), .look, .setLimits(bytes: 60, entries: 3, by: 1),
            .store("c", 11, .seconds(100_000), by: 1), .storeIfNew("b", 5, by: 0), .pass(-3600.003), .evict(by: 1),
        ],
    ]

    @Test(arguments: found) func `what failed once holds`(acts: [StorageAct]) throws {
        try #expect(StorageModelRun.failure(of: acts) == nil)
    }

    // MARK: At random

    @Test(arguments: 0..<4) func `random acts`(worker: Int) throws {
        let seeds = max(1, Soak.seeds(short: 60) / 4)
        for number in 0..<seeds {
            var base = SeededGenerator.ofThisRun
            let seed = base.next() &+ UInt64(worker * seeds + number)
            var generator = SeededGenerator(seed: seed)
            let acts = (0..<60).map { _ in StorageAct.random(using: &generator) }
            guard try !report(acts, "seed \(seed)") else { return }
        }
        print("model: \(seeds) seeds of 60 acts")
    }

    /// - Returns: whether it fails.
    private func report(_ acts: [StorageAct], _ about: String) throws -> Bool {
        guard let failure = try StorageModelRun.failure(of: acts) else { return false }
        let shortest = try shrunk(acts) { try StorageModelRun.failure(of: $0) != nil }
        // Who cannot make it fail again has at least how it failed at first.
        let last = try StorageModelRun.failure(of: shortest) ?? "not again; at first \(failure)"
        Issue.record("\(about): \(last)\n\(StorageAct.text(of: shortest))")
        return true
    }

    // MARK: All orders

    /// Few enough for all their orders, and one of each kind.
    static let alphabet: [StorageAct] = [
        .store("a", 1, .seconds(20)), .store("b", 2, .never, by: 1), .read("a", .cacheTime, by: 1), .remove("a", by: 1),
        .evict(), .pass(15), .removeExpired(by: 1), .spoil("a", .delete),
    ]

    @Test(arguments: alphabet.indices) func `all orders up to four acts`(first: Int) throws {
        // One folder for many: what a sequence leaves is cleared away, and stamps go on.
        let run = try StorageModelRun()
        try run.perform([.setLimits(bytes: 20, entries: 0)])
        for rest in Self.orders(of: 3) {
            let acts = [Self.alphabet[first]] + rest
            do {
                try run.perform(acts)
                try run.clear()
            } catch {
                guard try !report([.setLimits(bytes: 20, entries: 0)] + acts, "\(error)") else { return }
                Issue.record("\(error), in one folder with others only\n\(StorageAct.text(of: acts))")
                return
            }
        }
        try run.end()
    }

    private static func orders(of length: Int) -> [[StorageAct]] {
        (0..<length).reduce([[]]) { orders, _ in orders.flatMap { order in alphabet.map { order + [$0] } } }
    }

    // MARK: Shortening

    @Test func `a failing sequence is left with what it fails by`() throws {
        var generator = SeededGenerator.ofThisRun
        let acts =
            (0..<20).map { _ in StorageAct.random(using: &generator) }
            + [.store("a", 1), .pass(1), .store("b", 2), .store("a", 3), .look]
        func fails(_ acts: [StorageAct]) throws -> Bool {
            // A disk on which nothing can be written over.
            try StorageModelRun.failure(of: acts) { $0.fileSystem.fail(.exchange, EIO, times: nil) } != nil
        }
        let shortest = try shrunk(acts, while: fails)
        #expect(try fails(shortest))
        #expect(shortest.count == 2, "\(StorageAct.text(of: shortest))")
        #expect(shortest.allSatisfy { $0.isStore }, "\(StorageAct.text(of: shortest))")
    }

    @Test func `it is written as it has to be pasted`() {
        #expect(
            StorageAct.text(of: [.store("a", 3, .seconds(5), by: 1), .read("b", .to(.never)), .spoil("a", .cut)])
                == "[.store(\"a\", 3, Optional(.seconds(5)), by: 1), .read(\"b\", .to(.never), by: 0), .spoil(\"a\", .cut)]"
        )
    }
}

extension StorageAct {
    fileprivate var isStore: Bool {
        switch self {
        case .store, .storeIfNew: true
        default: false
        }
    }
}
