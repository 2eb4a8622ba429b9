import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct MemoryLimitTests {
    @Test func `of six values, with room for three, the newest three stay`() {
        let memory = MemoryFixture(of: Weight.self) { $0.countLimit = 3 }
        for key in ["a", "b", "c", "d", "e", "f"] { memory.storage.store(value: 1, forKey: key) }
        #expect(memory.residents(of: "a", "b", "c", "d", "e", "f") == ["d", "e", "f"])
        #expect(memory.storage.totalCacheCost() == 3)
    }

    @Test func `a recently used cheap value outlives an unused expensive one`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 100)
        memory.storage.store(value: 1, forKey: "hot and cheap")
        memory.storage.store(value: 80, forKey: "cold and dear")
        _ = memory.storage.value(forKey: "hot and cheap")
        memory.storage.store(value: 30, forKey: "new")
        #expect(memory.residents(of: "hot and cheap", "cold and dear", "new") == ["hot and cheap", "new"])
    }

    @Test func `a recently used expensive value outlives an unused cheap one`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 100)
        memory.storage.store(value: 80, forKey: "dear")
        memory.storage.store(value: 1, forKey: "cheap")
        _ = memory.storage.value(forKey: "dear")
        memory.storage.store(value: 20, forKey: "new")
        #expect(memory.residents(of: "dear", "cheap", "new") == ["dear", "new"])
    }

    @Test func `every read is a use, even one that extends nothing`() {
        let memory = MemoryFixture(of: Weight.self) { $0.countLimit = 2 }
        memory.storage.store(value: 1, forKey: "a")
        memory.storage.store(value: 1, forKey: "b")
        _ = memory.storage.value(forKey: "a", extendingExpiration: .none)
        memory.storage.store(value: 1, forKey: "c")
        #expect(memory.residents(of: "a", "b", "c") == ["a", "c"])
    }

    @Test func `isCached is not a use, nor is a read of an expired value`() {
        let memory = MemoryFixture(of: Weight.self) { $0.countLimit = 3 }
        memory.storage.store(value: 1, forKey: "a", expiration: .seconds(1))
        memory.storage.store(value: 1, forKey: "b")
        memory.storage.store(value: 1, forKey: "c")
        memory.clock.advance(by: 2)
        _ = memory.storage.value(forKey: "a")
        _ = memory.storage.isCached(forKey: "b")
        memory.storage.store(value: 1, forKey: "d")
        memory.storage.store(value: 1, forKey: "e")
        #expect(memory.residents(of: "a", "b", "c", "d", "e") == ["c", "d", "e"])
    }

    @Test func `the key of a value that a lowered limit drops stays until the next clean`() {
        let memory = MemoryFixture(of: Weight.self)
        for key in ["a", "b"] { memory.storage.store(value: 1, forKey: key) }
        memory.storage.config.countLimit = 1
        #expect(memory.storage.keys == ["a", "b"])
        memory.storage.removeExpired()
        #expect(memory.storage.keys == ["b"])
    }

    @Test func `the key of an evicted value stays until the next clean`() {
        let memory = MemoryFixture(of: Weight.self) { $0.countLimit = 1 }
        for key in ["a", "b", "c"] { memory.storage.store(value: 1, forKey: key) }
        #expect(memory.storage.keys == ["a", "b", "c"])
        #expect(memory.storage.totalCacheCost() == 1)
        memory.storage.removeExpired()
        #expect(memory.storage.keys == ["c"])
    }

    @Test func `setting the configuration evicts values beyond the new limits`() {
        let memory = MemoryFixture(of: Weight.self)
        for key in ["a", "b", "c", "d", "e"] { memory.storage.store(value: 10, forKey: key) }
        memory.storage.config.countLimit = 4
        #expect(memory.residents(of: "a", "b", "c", "d", "e") == ["b", "c", "d", "e"])
        memory.storage.config.totalCostLimit = 25
        #expect(memory.residents(of: "b", "c", "d", "e") == ["d", "e"])
        memory.storage.config.countLimit = 1
        #expect(memory.residents(of: "d", "e") == ["e"])
    }

    @Test(arguments: [0, -1, .min])
    func `a limit that is not positive means no limit`(_ limit: Int) {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: limit) { $0.countLimit = limit }
        for number in 0..<100 { memory.storage.store(value: 1_000_000, forKey: "\(number)") }
        #expect(memory.storage.totalCacheCost() == 100_000_000)
    }

    @Test func `a value that costs more than the whole limit is not kept and evicts only the one it replaces`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 10)
        memory.storage.store(value: 4, forKey: "a")
        memory.storage.store(value: 5, forKey: "b")
        memory.storage.store(value: 11, forKey: "a")
        #expect(memory.residents(of: "a", "b") == ["b"])
        #expect(memory.storage.totalCacheCost() == 5)
        #expect(memory.storage.keys == ["a", "b"])
        memory.storage.store(value: 10, forKey: "c")
        #expect(memory.residents(of: "a", "b", "c") == ["c"])
    }

    @Test func `a growing value may evict others, never itself`() {
        let memory = MemoryFixture(of: Weight.self, totalCostLimit: 10)
        for key in ["a", "b", "c"] { memory.storage.store(value: 3, forKey: key) }
        memory.storage.store(value: 6, forKey: "a")
        #expect(memory.residents(of: "a", "b", "c") == ["a", "c"])
        #expect(memory.storage.totalCacheCost() == 9)
    }

    @Test func `costs that are absurd neither overflow nor make room`() {
        let memory = MemoryFixture(of: Weight.self)
        for key in ["a", "b", "c"] { memory.storage.store(value: Weight(.max), forKey: key) }
        #expect(memory.residents(of: "a", "b", "c") == ["c"])
        #expect(memory.storage.totalCacheCost() == .max)
        memory.storage.removeAll()
        memory.storage.config.totalCostLimit = 2
        for key in ["a", "b", "c"] { memory.storage.store(value: key == "b" ? Weight(.min) : 1, forKey: key) }
        #expect(memory.residents(of: "a", "b", "c") == ["a", "b", "c"])
        #expect(memory.storage.totalCacheCost() == 2)
    }

    @Test func `keys of dropped values do not accumulate, even without a clean`() {
        let memory = MemoryFixture(of: Weight.self)
        for number in 0..<3 * MemoryObjects.droppedNameLimit {
            memory.storage.store(value: 1, forKey: "\(number)")
            memory.storage.storage.removeObject(forKey: "\(number)")
        }
        #expect(memory.storage.keys.count <= MemoryObjects.droppedNameLimit)
    }

    @Test func `a limit that drops many objects keeps a bounded number of names`() {
        let storage = MemoryStorage.Backend<Weight>(config: .init(totalCostLimit: 0))
        let count = MemoryObjects.droppedNameLimit + 100
        for number in 0..<count { storage.store(value: Weight(1), forKey: "\(number)") }
        storage.config.countLimit = 1
        #expect(storage.names.count <= MemoryObjects.droppedNameLimit + 1)
    }
}
