import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct LeastRecentlyUsedCacheTests {
    typealias Cache = LeastRecentlyUsedCache<Int, String>

    @Test func `a hundred thousand stores with rising costs take a constant number of steps each`() {
        var cache = Cache(limits: MemoryLimits(totalCost: 1_000_000, count: .max))
        for cost in 1...100_000 {
            let before = cache.linkCount
            let displaced = cache.store("", forKey: cost, cost: cost)
            #expect(cache.linkCount - before == 1 + displaced.evicted.count)
        }
        #expect(cache.linkCount < 2 * 100_000)
        #expect(cache.totalCost <= 1_000_000)
    }

    @Test func `using and removing take a constant number of steps, however many entries there are`() {
        for count in [10, 1_000, 100_000] {
            var cache = Cache()
            for key in 0..<count { _ = cache.store("", forKey: key, cost: 1) }
            let before = cache.linkCount
            _ = cache.use(count / 2) { _ in true }
            #expect(cache.linkCount - before == 2)
            _ = cache.remove(count / 3)
            #expect(cache.linkCount - before == 3)
        }
    }

    @Test func `freed slots are used again`() {
        var cache = Cache(limits: MemoryLimits(totalCost: 0, count: 10))
        for key in 0..<1_000 { _ = cache.store("", forKey: key, cost: 1) }
        #expect(cache.slotCount <= 11)
        for key in 0..<1_000 { _ = cache.remove(key) }
        for key in 0..<10 { _ = cache.store("", forKey: key, cost: 1) }
        #expect(cache.slotCount <= 11)
    }

    @Test func `a store returns the values it evicted, oldest first`() {
        var cache = Cache(limits: MemoryLimits(totalCost: 10, count: .max))
        for key in 1...3 { _ = cache.store("\(key)", forKey: key, cost: 3) }
        let displaced = cache.store("new", forKey: 3, cost: 9)
        #expect(displaced.replaced == "3")
        #expect(displaced.evicted.map(\.value) == ["1", "2"])
    }

    @Test func `a random run agrees with a model that is too simple to be wrong`() {
        var generator = SeededGenerator.ofThisRun
        for _ in 0..<20 {
            var pair = CacheAndModel()
            for _ in 0..<2_000 { pair.step(&generator) }
        }
    }
}

/// The cache compared with an array in the order of use.
private struct CacheAndModel {
    private typealias Cache = LeastRecentlyUsedCache<Int, String>
    private struct Item: Equatable {
        let key: Int
        let value: String
        let cost: Int
    }

    private var cache = Cache()
    /// Most recently used first.
    private var model: [Item] = []
    private var nextValue = 0

    mutating func step(_ generator: inout SeededGenerator) {
        let key = Int.random(in: 0..<40, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<50: store(key, cost: Int.random(in: -2...30, using: &generator))
        case 50..<75: use(key, isUsable: Bool.random(using: &generator))
        case 75..<90: remove(key)
        case 90..<95: setLimits(&generator)
        default: clean(below: Int.random(in: 0...nextValue, using: &generator))
        }
        requireAgreement()
    }

    private mutating func store(_ key: Int, cost: Int) {
        nextValue += 1
        let item = Item(key: key, value: "\(nextValue)", cost: max(0, cost))
        let replaced = model.first { $0.key == key }
        model.removeAll { $0.key == key }
        var evicted = [item]
        if cache.limits.totalCost <= 0 || item.cost <= cache.limits.totalCost {
            model.insert(item, at: 0)
            evicted = evict()
        }
        let displaced = cache.store(item.value, forKey: key, cost: cost)
        #expect(displaced.replaced == replaced?.value)
        #expect(displaced.evicted.map(Self.item) == evicted)
    }

    private mutating func evict() -> [Item] {
        var evicted: [Item] = []
        while isTooMuch, let item = model.popLast() { evicted.append(item) }
        return evicted
    }

    private var isTooMuch: Bool {
        let limits = cache.limits
        return limits.count > 0 && model.count > limits.count
            || limits.totalCost > 0 && model.reduce(0) { $0 + $1.cost } > limits.totalCost
    }

    private mutating func use(_ key: Int, isUsable: Bool) {
        let index = model.firstIndex { $0.key == key }
        #expect(cache.peek(key) == index.map { model[$0].value })
        let value = cache.use(key) { _ in isUsable }
        guard let index, isUsable else {
            #expect(value == nil)
            return
        }
        #expect(value == model[index].value)
        model.insert(model.remove(at: index), at: 0)
    }

    private mutating func remove(_ key: Int) {
        let value = model.first { $0.key == key }?.value
        model.removeAll { $0.key == key }
        #expect(cache.remove(key) == value)
    }

    private mutating func setLimits(_ generator: inout SeededGenerator) {
        cache.limits.totalCost = Int.random(in: -5...300, using: &generator)
        cache.limits.count = Int.random(in: -1...30, using: &generator)
        let evicted = evict()
        #expect(cache.evict().map(Self.item) == evicted)
    }

    private mutating func clean(below limit: Int) {
        let isDoomed = { (value: String) in Int(value).map { $0 < limit } ?? false }
        let doomed = model.filter { isDoomed($0.value) }.map(\.value)
        model.removeAll { isDoomed($0.value) }
        let middle = cache.slotCount / 2
        let removed =
            cache.removeAll(inSlots: 0..<middle, where: isDoomed)
            + cache.removeAll(inSlots: middle..<cache.slotCount + 10, where: isDoomed)
        #expect(Set(removed) == Set(doomed))
    }

    private func requireAgreement() {
        #expect(cache.entriesFromNewest.map(Self.item) == model)
        #expect(cache.entriesFromOldest.map(Self.item) == model.reversed())
        #expect(cache.totalCost == model.reduce(0) { $0 + $1.cost })
        #expect(cache.count == model.count)
        #expect(Set(cache.keys) == Set(model.map(\.key)))
    }

    private static func item(_ entry: Cache.Entry) -> Item {
        Item(key: entry.key, value: entry.value, cost: entry.cost)
    }
}

extension LeastRecentlyUsedCache {
    /// From the most to the least recently used, following the `older` links.
    fileprivate var entriesFromNewest: [Entry] { walk(from: newest, \.older) }
    /// From the least to the most recently used, following the `newer` links.
    fileprivate var entriesFromOldest: [Entry] { walk(from: oldest, \.newer) }

    private func walk(from first: Number, _ next: KeyPath<Slot, Number>) -> [Entry] {
        var entries: [Entry] = []
        var slot = first
        while slot >= 0, let key = keysOfSlots[Int(slot)], let value = slots[Int(slot)].value {
            entries.append(Entry(key: key, value: value, cost: slots[Int(slot)].cost))
            slot = slots[Int(slot)][keyPath: next]
        }
        return entries
    }
}
