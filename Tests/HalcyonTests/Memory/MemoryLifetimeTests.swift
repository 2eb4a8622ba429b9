import Dispatch
import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct MemoryLifetimeTests {
    /// Long enough for a busy machine; a passing test never waits that long.
    static let bound = DispatchTimeInterval.seconds(60)

    // MARK: The timer

    @Test func `the timer removes what has expired, without a run loop`() {
        let memory = MemoryFixture(of: Token.self)
        let gone = DispatchSemaphore(value: 0)
        memory.storage.store(value: Token { gone.signal() }, forKey: "a", expiration: .seconds(10))
        memory.clock.advance(by: 20)
        memory.storage.config.cleanInterval = 0.001
        #expect(gone.wait(timeout: .now() + Self.bound) == .success)
        #expect(memory.storage.storage.object(forKey: "a") == nil)
    }

    @Test func `the timer forgets the keys of dropped values`() {
        let cleaning = DispatchSemaphore(value: 0)
        let isArmed = Locked(false)
        var config = MemoryStorage.Config(totalCostLimit: 0, cleanInterval: 0)
        config.countLimit = 1
        let storage = MemoryStorage.Backend<Weight>(config: config) {
            if isArmed.withLock({ $0 }) { cleaning.signal() }
            return Date()
        }
        for number in 0..<1_000 { storage.store(value: 1, forKey: "\(number)") }
        #expect(storage.keys.count == 1_000)
        isArmed.withLock { $0 = true }
        storage.config.cleanInterval = 0.001
        // Cleans of one timer run one after the other: when the second one reads the clock, the first has ended.
        for _ in 0..<2 { #expect(cleaning.wait(timeout: .now() + Self.bound) == .success) }
        #expect(storage.keys == ["999"])
    }

    @Test func `the timer stops with the storage, and does not keep it alive`() throws {
        var storage: MemoryStorage.Backend<Weight>? = .init(config: .init(totalCostLimit: 0, cleanInterval: 3_600))
        let source = try #require(storage?.cleanTimer?.source)
        weak let weakStorage = storage
        #expect(!source.isCancelled)
        storage = nil
        #expect(weakStorage == nil)
        #expect(source.isCancelled)
    }

    @Test func `setting the configuration starts another timer and stops the one before`() throws {
        let storage = MemoryStorage.Backend<Weight>(config: .init(totalCostLimit: 0))
        let first = try #require(storage.cleanTimer?.source)
        storage.config.expiration = .never
        let second = try #require(storage.cleanTimer?.source)
        #expect(first.isCancelled && !second.isCancelled)
        storage.config.cleanInterval = 0
        #expect(storage.cleanTimer == nil)
        #expect(second.isCancelled)
    }

    @Test(arguments: [TimeInterval(0), -1, -.infinity, .infinity, .nan, -.greatestFiniteMagnitude])
    func `an invalid interval switches the timer off`(_ interval: TimeInterval) {
        let storage = MemoryStorage.Backend<Weight>(config: .init(totalCostLimit: 0, cleanInterval: interval))
        #expect(storage.cleanTimer == nil)
    }

    @Test(arguments: [TimeInterval.greatestFiniteMagnitude, 1e18, 1e10, 1e-3, 1e-12, .leastNonzeroMagnitude])
    func `an interval may have any length`(_ interval: TimeInterval) {
        let storage = MemoryStorage.Backend<Weight>(config: .init(totalCostLimit: 0, cleanInterval: interval))
        #expect(storage.cleanTimer?.source.isCancelled == false)
        storage.store(value: 1, forKey: "a")
        #expect(storage.value(forKey: "a") == 1)
    }

    @Test func `storages can be released while their timers fire`() {
        for _ in 0..<200 {
            let storage = MemoryStorage.Backend<Weight>(config: .init(totalCostLimit: 0, cleanInterval: 1e-9))
            for number in 0..<50 { storage.store(value: 1, forKey: "\(number)") }
        }
    }

    // MARK: Values

    @Test func `releasing the storage releases all values`() {
        let gone = Locked(0)
        var storage: MemoryStorage.Backend<Token>? = MemoryFixture().storage
        for number in 0..<100 {
            storage?.store(value: Token { gone.withLock { $0 += 1 } }, forKey: "\(number)", expiration: .days(1))
        }
        #expect(gone.withLock { $0 } == 0)
        storage = nil
        #expect(gone.withLock { $0 } == 100)
    }

    @Test func `a value that was replaced, removed, evicted or cleaned away is released at once`() {
        let memory = MemoryFixture(of: Token.self) { $0.countLimit = 2 }
        let gone = Locked<[String]>([])
        let store = { (name: String, key: String) in
            let token = Token { gone.withLock { $0.append(name) } }
            memory.storage.store(value: token, forKey: key, expiration: .seconds(10))
        }
        store("replaced", "a")
        store("removed", "a")
        memory.storage.remove(forKey: "a")
        for name in ["evicted", "expired", "last"] { store(name, name) }
        memory.storage.config.countLimit = 1
        memory.clock.advance(by: 20)
        memory.storage.removeExpired()
        #expect(gone.withLock { $0 } == ["replaced", "removed", "evicted", "expired", "last"])
    }

    @Test func `a value may call the storage from its deinit, whatever released it`() {
        let memory = MemoryFixture(of: Token.self)
        let calls = Locked(0)
        let store = { (key: String) in
            let token = Token { [weak storage = memory.storage] in
                storage?.callEverything()
                calls.withLock { $0 += 1 }
            }
            memory.storage.store(value: token, forKey: key, expiration: .seconds(10))
        }
        let endings: [() -> Void] = [
            { store("a") }, { memory.storage.remove(forKey: "a") }, { memory.storage.removeAll() },
            { memory.storage.storage.removeObject(forKey: "a") },
            {
                memory.clock.advance(by: 20)
                memory.storage.removeExpired()
            },
        ]
        for (index, end) in endings.enumerated() {
            memory.storage.removeAll()
            calls.withLock { $0 = 0 }
            store("a")
            end()
            #expect(calls.withLock { $0 } == 1, "ending \(index)")
        }
    }

    @Test func `an evicted value may call the storage from its deinit`() {
        let memory = MemoryFixture(of: Token.self) { $0.countLimit = 5 }
        let calls = Locked(0)
        for number in 0..<20 {
            let token = Token { [weak storage = memory.storage] in
                storage?.callEverything()
                calls.withLock { $0 += 1 }
            }
            memory.storage.store(value: token, forKey: "\(number)")
        }
        memory.storage.config.countLimit = 1
        #expect(calls.withLock { $0 } == 19)
    }
}

extension MemoryStorage.Backend where T == Token {
    /// The calls that a value's deinit may make. It stores nothing, or the storage would never be empty.
    fileprivate func callEverything() {
        _ = value(forKey: "b")
        _ = isCached(forKey: "b")
        remove(forKey: "b")
        removeExpired()
        _ = (totalCacheCost(), keys, storage.countLimit)
        store(value: Token {}, forKey: "b", expiration: .expired)
        config = config
    }
}
