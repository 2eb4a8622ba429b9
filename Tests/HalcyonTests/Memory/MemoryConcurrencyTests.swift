import Dispatch
import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct MemoryConcurrencyTests {
    @Test func `eight threads mix all operations, and the totals are right afterwards`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 500)
        let base = SeededGenerator.ofThisRun
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var generator = base
            for _ in 0..<thread { _ = generator.next() }
            for _ in 0..<2_000 { Self.doSomething(with: memory, &generator) }
        }
        let storage = memory.storage
        let costs = (0..<100).compactMap { storage.storage.object(forKey: "\($0)")?.cost }
        #expect(storage.totalCacheCost() == costs.reduce(0, +))
        #expect(storage.keys.isSuperset(of: (0..<100).map(String.init).filter(storage.isCached)))
        #expect(storage.totalCacheCost() <= storage.config.totalCostLimit)
    }

    private static func doSomething(with memory: MemoryFixture<Weight>, _ generator: inout SeededGenerator) {
        let storage = memory.storage
        let key = "\(Int.random(in: 0..<100, using: &generator))"
        switch Int.random(in: 0..<1_000, using: &generator) {
        case 0..<400: storage.store(value: Weight(Int.random(in: 0...40, using: &generator)), forKey: key)
        case 400..<800: _ = storage.value(forKey: key)
        case 800..<900: _ = storage.isCached(forKey: key)
        case 900..<960: storage.remove(forKey: key)
        case 960..<970: memory.clock.advance(by: 100)
        case 970..<980: storage.removeExpired()
        case 980..<985: storage.config.totalCostLimit = Int.random(in: 1...600, using: &generator)
        case 985..<995: _ = (storage.keys, storage.totalCacheCost(), storage.config)
        default: storage.removeAll()
        }
    }
}
