import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct MemoryExpirationTests {
    static let expired: [StorageExpiration] = [
        .expired, .seconds(0), .seconds(-1), .seconds(.nan), .seconds(-.infinity), .days(0), .days(-3), .days(.min),
        .date(.distantPast), .date(Date(timeIntervalSinceNow: -10)),
    ]

    @Test(arguments: expired)
    func `an expired value is not stored, and the old value stays`(_ expiration: StorageExpiration) {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: expiration)
        #expect(memory.storage.keys.isEmpty)
        #expect(memory.storage.storage.object(forKey: "a") == nil)
        memory.storage.store(value: 2, forKey: "a")
        memory.storage.store(value: 3, forKey: "a", expiration: expiration)
        #expect(memory.storage.value(forKey: "a") == 2)
    }

    @Test(arguments: [
        StorageExpiration.never, .seconds(.infinity), .seconds(1e300), .days(.max), .date(.distantFuture),
    ])
    func `a value that never expires stays`(_ expiration: StorageExpiration) {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: expiration)
        memory.clock.advance(by: 1e9)
        memory.storage.removeExpired()
        #expect(memory.storage.value(forKey: "a") == 1)
    }

    // Not among the arguments above: Foundation cannot print such a date.
    @Test func `a date that is not a number is past`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(
            value: 1, forKey: "a", expiration: .date(Date(timeIntervalSinceReferenceDate: .nan)))
        #expect(memory.storage.keys.isEmpty)
    }

    @Test func `a value expires exactly when its time is over`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: .seconds(10))
        memory.clock.advance(by: 9)
        #expect(memory.storage.isCached(forKey: "a"))
        memory.clock.advance(by: 1)
        #expect(!memory.storage.isCached(forKey: "a"))
        #expect(memory.storage.value(forKey: "a") == nil)
    }

    @Test func `a store without an expiration uses the configured one`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.config.expiration = .seconds(5)
        memory.storage.store(value: 1, forKey: "a")
        memory.storage.config.expiration = .seconds(100)
        memory.storage.store(value: 2, forKey: "b")
        memory.clock.advance(by: 6)
        #expect(!memory.storage.isCached(forKey: "a"))
        #expect(memory.storage.isCached(forKey: "b"))
    }

    @Test func `a read restarts the value's own duration`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: .seconds(10))
        for _ in 0..<3 {
            memory.clock.advance(by: 8)
            #expect(memory.storage.value(forKey: "a") == 1)
        }
        memory.clock.advance(by: 11)
        #expect(memory.storage.value(forKey: "a") == nil)
    }

    @Test func `reads do not move an expiration date`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(
            value: 1, forKey: "a", expiration: .date(memory.clock.now.date.addingTimeInterval(10)))
        memory.clock.advance(by: 8)
        #expect(memory.storage.value(forKey: "a") == 1)
        memory.clock.advance(by: 3)
        #expect(memory.storage.value(forKey: "a") == nil)
    }

    @Test func `a read with none and isCached extend nothing`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: .seconds(10))
        memory.clock.advance(by: 8)
        #expect(memory.storage.isCached(forKey: "a"))
        #expect(memory.storage.value(forKey: "a", extendingExpiration: .none) == 1)
        memory.clock.advance(by: 3)
        #expect(!memory.storage.isCached(forKey: "a"))
    }

    @Test func `a read can set another expiration, and the next read restores the value's own`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: .seconds(10))
        _ = memory.storage.value(forKey: "a", extendingExpiration: .expirationTime(.days(1)))
        memory.clock.advance(by: 80_000)
        #expect(memory.storage.value(forKey: "a") == 1)
        memory.clock.advance(by: 11)
        #expect(memory.storage.value(forKey: "a") == nil)
    }

    @Test func `a read with a past expiration returns the value for the last time`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: .never)
        #expect(memory.storage.value(forKey: "a", extendingExpiration: .expirationTime(.expired)) == 1)
        #expect(memory.storage.value(forKey: "a") == nil)
    }

    @Test func `an expired value stays in the underlying store, and counts, until it is removed`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 3, forKey: "a", expiration: .seconds(10))
        memory.storage.store(value: 4, forKey: "b", expiration: .seconds(100))
        memory.clock.advance(by: 20)
        _ = memory.storage.value(forKey: "a")
        #expect(memory.storage.storage.object(forKey: "a") != nil)
        #expect(memory.storage.totalCacheCost() == 7)
        #expect(memory.storage.keys == ["a", "b"])
        memory.storage.removeExpired()
        #expect(memory.storage.storage.object(forKey: "a") == nil)
        #expect(memory.storage.totalCacheCost() == 4)
        #expect(memory.storage.keys == ["b"])
    }

    @Test func `an expired value that is stored again is valid`() {
        let memory = MemoryFixture(of: Weight.self)
        memory.storage.store(value: 1, forKey: "a", expiration: .seconds(1))
        memory.clock.advance(by: 2)
        memory.storage.store(value: 2, forKey: "a", expiration: .seconds(1))
        memory.storage.removeExpired()
        #expect(memory.storage.value(forKey: "a") == 2)
    }

    @Test func `cleaning removes only the expired values`() {
        let memory = MemoryFixture(of: Weight.self)
        for number in 0..<5_000 {
            memory.storage.store(value: 1, forKey: "\(number)", expiration: .seconds(number % 3 == 0 ? 5 : 50))
        }
        memory.clock.advance(by: 10)
        memory.storage.removeExpired()
        let left = Set((0..<5_000).filter { $0 % 3 != 0 }.map(String.init))
        #expect(memory.storage.keys == left)
        #expect(memory.storage.totalCacheCost() == left.count)
        #expect(left.allSatisfy(memory.storage.isCached))
    }

    @Test func `a storage object has its value and its expiration, and extends it`() {
        let now = Date()
        let object = MemoryStorage.StorageObject(Weight(1), expiration: .seconds(1), now: now)
        #expect(object.value == 1)
        #expect(object.estimatedExpiration == now.addingTimeInterval(1))
        #expect(!object.isExpired(at: now))
        #expect(object.isExpired(at: now.addingTimeInterval(1)))
        object.extendExpiration(.none, from: now.addingTimeInterval(5))
        #expect(object.estimatedExpiration == now.addingTimeInterval(1))
        object.extendExpiration(.cacheTime, from: now.addingTimeInterval(5))
        #expect(object.estimatedExpiration == now.addingTimeInterval(6))
        object.extendExpiration(.expirationTime(.days(1)), from: now)
        #expect(object.estimatedExpiration == now.addingTimeInterval(86_400))
    }

    @Test func `an object uses the system clock by default`() {
        let object = MemoryStorage.StorageObject(Weight(1), expiration: .seconds(1_000))
        #expect(!object.isExpired)
        #expect(abs(object.estimatedExpiration.timeIntervalSinceNow - 1_000) < 60)
        object.extendExpiration(.expirationTime(.expired))
        #expect(object.isExpired)
        object.extendExpiration()
        #expect(!object.isExpired)
    }
}
