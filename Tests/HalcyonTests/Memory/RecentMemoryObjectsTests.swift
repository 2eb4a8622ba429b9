import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct RecentMemoryObjectsTests {
    @Test func `a hundred thousand stores with rising costs keep to the limit`() {
        let objects = RecentMemoryObjects()
        objects.setLimits { $0 = MemoryLimits(totalCost: 1_000_000, count: .max) }
        for cost in 1...100_000 { objects.store(object(cost, cost: cost)) }
        // 99,991 + … + 100,000 is less than a million; one more would exceed it.
        #expect(objects.totalCost == (99_991...100_000).reduce(0, +))
    }

    @Test func `a store returns the objects it displaced`() throws {
        let objects = RecentMemoryObjects()
        objects.setLimits { $0.totalCost = 10 }
        let old = (1...3).map { object($0, cost: 3) }
        for object in old { objects.store(object) }
        let displaced = try #require(objects.store(object(3, cost: 9)))
        let (replaced, evicted) = try #require(displaced as? (ExpiringObject?, [ExpiringObject]))
        #expect(replaced === old[2])
        #expect(evicted.map(ObjectIdentifier.init) == old[..<2].map(ObjectIdentifier.init))
    }

    @Test func `a clean removes exactly what has expired, wherever it is in the order`() {
        let objects = RecentMemoryObjects()
        let later = Date(timeIntervalSinceReferenceDate: 100)
        for number in 0..<3_000 {
            objects.store(
                object(number, cost: 1, expiration: number.isMultiple(of: 3) ? .seconds(10) : .seconds(1_000)))
        }
        objects.removeExpired(at: later)
        #expect(objects.totalCost == 2_000)
        #expect(objects.keys == Set((0..<3_000).filter { !$0.isMultiple(of: 3) }.map(key)))
        #expect(objects.namesInOrderOfEviction == (0..<3_000).filter { !$0.isMultiple(of: 3) }.map(key))
    }

    @Test func `two hundred thousand objects are released without recursion`() {
        for release in [{ $0.removeAll() }, { $0.setLimits { $0.count = 1 } }, { _ in }]
            as [(RecentMemoryObjects) -> Void]
        {
            let objects = RecentMemoryObjects()
            for number in 0..<200_000 { objects.store(object(number, cost: 1)) }
            release(objects)
        }
    }

    @Test func `a random run agrees with a model that is too simple to be wrong`() {
        var generator = SeededGenerator.ofThisRun
        for _ in 0..<20 {
            var pair = ObjectsAndModel()
            for _ in 0..<2_000 { pair.step(&generator) }
            pair.requireSameOrder()
        }
    }
}

private let start = Date(timeIntervalSinceReferenceDate: 0)

private func key(_ number: Int) -> MemoryKey { MemoryKey("\(number)") }

private func object(_ number: Int, cost: Int, expiration: StorageExpiration = .never) -> ExpiringObject {
    ExpiringObject(key: key(number), expiration: expiration, cost: cost, now: start)
}

extension RecentMemoryObjects {
    /// Evicts all objects one by one.
    fileprivate var namesInOrderOfEviction: [MemoryKey] {
        var (names, left): ([MemoryKey], _) = ([], Set(keys.filter { object(forKey: $0) != nil }))
        while left.count > 1 {
            setLimits { $0.count = left.count - 1 }
            let evicted = left.filter { object(forKey: $0) == nil }
            names += evicted
            left.subtract(evicted)
        }
        return names + left
    }
}

/// The objects compared with an array in the order of use.
private struct ObjectsAndModel {
    private let objects = RecentMemoryObjects()
    /// Most recently used first.
    private var model: [ExpiringObject] = []
    /// The names that limits dropped.
    private var dropped: Set<MemoryKey> = []
    private var now = start

    mutating func step(_ generator: inout SeededGenerator) {
        let number = Int.random(in: 0..<40, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<50:
            let seconds = Double.random(in: 0...1_000, using: &generator)
            store(
                object(
                    number, cost: Int.random(in: -2...30, using: &generator),
                    expiration: .date(now.addingTimeInterval(seconds))))
        case 50..<75: use(key(number))
        case 75..<87: remove(key(number))
        case 87..<90: drop(key(number))
        case 90..<95: setLimits(&generator)
        case 95..<98: now.addTimeInterval(200)
        default: clean()
        }
        requireAgreement()
    }

    private mutating func store(_ object: ExpiringObject) {
        objects.store(object)
        model.removeAll { $0.key == object.key }
        let limit = objects.limits.totalCost
        if limit > 0, object.cost > limit {
            dropped.insert(object.key)
        } else {
            model.insert(object, at: 0)
            evict()
        }
    }

    private mutating func evict() {
        while isTooMuch, let object = model.popLast() { dropped.insert(object.key) }
    }

    private var isTooMuch: Bool {
        let limits = objects.limits
        return limits.count > 0 && model.count > limits.count
            || limits.totalCost > 0 && model.reduce(0) { $0 + $1.cost } > limits.totalCost
    }

    private mutating func use(_ key: MemoryKey) {
        let index = model.firstIndex { $0.key == key }
        #expect(objects.object(forKey: key) === index.map { model[$0] })
        let used = objects.use(key, at: now, extending: .none)
        guard let index, model[index].isUsable(at: now) else {
            #expect(used == nil)
            return
        }
        #expect(used === model[index])
        model.insert(model.remove(at: index), at: 0)
    }

    private mutating func remove(_ key: MemoryKey) {
        let object = model.first { $0.key == key }
        model.removeAll { $0.key == key }
        dropped.remove(key)
        #expect(objects.remove(key) as? ExpiringObject === object)
    }

    private mutating func drop(_ key: MemoryKey) {
        objects.drop(key)
        if model.contains(where: { $0.key == key }) { dropped.insert(key) }
        model.removeAll { $0.key == key }
    }

    private mutating func setLimits(_ generator: inout SeededGenerator) {
        let limits = MemoryLimits(
            totalCost: Int.random(in: -5...300, using: &generator), count: Int.random(in: -1...30, using: &generator))
        objects.setLimits { $0 = limits }
        evict()
    }

    private mutating func clean() {
        objects.removeExpired(at: now)
        model.removeAll { $0.isExpired(at: now) }
        dropped = []
    }

    private func requireAgreement() {
        #expect(objects.totalCost == model.reduce(0) { $0 + $1.cost })
        #expect(objects.keys == dropped.union(model.map(\.key)))
        for object in model { #expect(objects.object(forKey: object.key) === object) }
    }

    func requireSameOrder() { #expect(objects.namesInOrderOfEviction == model.reversed().map(\.key)) }
}
