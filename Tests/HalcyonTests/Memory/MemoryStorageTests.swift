import Foundation
import Testing

@testable import Halcyon

@Suite struct MemoryStorageTests {
    @Test func `a stored value is found`() {
        let memory = MemoryFixture(of: Weight.self)
        #expect(!memory.storage.isCached(forKey: "a"))
        memory.storage.store(value: 7, forKey: "a")
        #expect(memory.storage.isCached(forKey: "a"))
        #expect(memory.storage.value(forKey: "a") == 7)
        #expect(memory.storage.value(forKey: "b") == nil)
    }

    @Test func `a second store replaces the first and its cost`() {
        let memory = MemoryFixture(of: Weight.self)
        for cost in [5, 900, 30] { memory.storage.store(value: Weight(cost), forKey: "a") }
        #expect(memory.storage.value(forKey: "a") == 30)
        #expect(memory.storage.totalCacheCost() == 30)
        #expect(memory.storage.keys == ["a"])
    }

    @Test func `a removed value is gone with its key and cost, and removing it again does nothing`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a")
        memory.storage.store(value: 2, forKey: "b")
        for _ in 0..<2 { memory.storage.remove(forKey: "a") }
        #expect(memory.storage.value(forKey: "a") == nil)
        #expect(memory.storage.keys == ["b"])
        #expect(memory.storage.totalCacheCost() == 2)
    }

    @Test func `after removing all values nothing is left, and they can be stored again`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 100)
        for number in 0..<20 { memory.storage.store(value: 1, forKey: "\(number)") }
        memory.storage.removeAll()
        #expect(memory.storage.keys.isEmpty)
        #expect(memory.storage.totalCacheCost() == 0)
        #expect((0..<20).allSatisfy { !memory.storage.isCached(forKey: "\($0)") })
        memory.storage.store(value: 3, forKey: "0")
        #expect(memory.storage.value(forKey: "0") == 3)
        #expect(memory.storage.storage.totalCostLimit == 100)
    }

    @Test func `keys are compared by their bytes, not by Unicode equivalence`() {
        let memory = MemoryFixture(of: Weight.self)
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        memory.storage.store(value: 1, forKey: composed)
        memory.storage.store(value: 2, forKey: decomposed)
        #expect(memory.storage.value(forKey: composed) == 1)
        #expect(memory.storage.value(forKey: decomposed) == 2)
        memory.storage.remove(forKey: composed)
        #expect(!memory.storage.isCached(forKey: composed))
        #expect(memory.storage.keys.first.map { Array($0.utf8) } == Array(decomposed.utf8))
    }

    @Test func `any string can be a key`() {
        let memory = MemoryFixture(of: Weight.self)
        let keys = [
            "", "\0", "a\0b", "a\0c", "/", "..", String(repeating: "x", count: 100_000), "👩‍👩‍👧", "0123456789abcde",
        ]
        for (cost, key) in keys.enumerated() { memory.storage.store(value: Weight(cost), forKey: key) }
        for (cost, key) in keys.enumerated() { #expect(memory.storage.value(forKey: key) == Weight(cost)) }
        #expect(memory.storage.keys == Set(keys))
    }

    @Test func `the underlying store accepts both types of strings`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a")
        #expect(memory.storage.storage.object(forKey: "a")?.value == 1)
        #expect(memory.storage.storage.object(forKey: "a" as NSString)?.value == 1)
        memory.storage.storage.removeObject(forKey: "a" as NSString)
        #expect(memory.storage.storage.object(forKey: "a") == nil)
    }

    @Test func `a dropped value's key stays until the next clean, and costs nothing`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a")
        memory.storage.store(value: 2, forKey: "b")
        memory.storage.storage.removeObject(forKey: "a")
        #expect(memory.storage.keys == ["a", "b"])
        #expect(memory.storage.totalCacheCost() == 2)
        #expect(!memory.storage.isCached(forKey: "a"))
        memory.storage.removeExpired()
        #expect(memory.storage.keys == ["b"])
    }

    @Test func `removing a dropped value removes its key`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a")
        memory.storage.storage.removeObject(forKey: "a")
        memory.storage.remove(forKey: "a")
        #expect(memory.storage.keys.isEmpty)
    }

    @Test func `the limits are the configured ones`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 3)
        #expect(memory.storage.storage.totalCostLimit == 3)
        #expect(memory.storage.storage.countLimit == .max)
        memory.storage.config.totalCostLimit = 12
        memory.storage.config.countLimit = 4
        #expect(memory.storage.storage.totalCostLimit == 12)
        #expect(memory.storage.storage.countLimit == 4)
    }

    @Test func `the defaults are five minutes, a clean every two, and no limit of number`() {
        let config = MemoryStorage.Config(totalCostLimit: 1)
        #expect(config.expiration.timeInterval == 300)
        #expect(config.cleanInterval == 120)
        #expect(config.countLimit == .max)
        #expect(!config.keepWhenEnteringBackground)
    }
}
