import Foundation
import Halcyon
import Testing

@Suite struct MemoryStorageTests {
    private typealias Storage = MemoryStorage.Backend<Profile>

    private func storage(_ configure: (inout MemoryStorage.Config) -> Void = { _ in }) -> Storage {
        var config = MemoryStorage.Config(totalCostLimit: 0)
        configure(&config)
        return Storage(config: config)
    }

    @Test func `the default settings are five minutes, a clean every two, and no limit`() {
        let config = MemoryStorage.Config(totalCostLimit: 7)
        #expect(config.totalCostLimit == 7 && config.countLimit == .max && config.cleanInterval == 120)
        #expect(StorageVocabularyTests.name(of: config.expiration) == "300.0 s" && !config.keepWhenEnteringBackground)
        #expect(MemoryStorage.Config(totalCostLimit: 7, cleanInterval: 5).cleanInterval == 5)
    }

    @Test func `settings can be changed while values are kept`() {
        let storage = storage()
        for key in ["a", "b", "c"] { storage.store(value: Profile(name: key), forKey: key) }
        storage.config.keepWhenEnteringBackground = true
        storage.config.cleanInterval = 60
        storage.config.expiration = .never
        storage.config.countLimit = 1
        storage.config.totalCostLimit = 1
        let config = storage.config
        #expect(config.countLimit == 1 && config.totalCostLimit == 1 && config.cleanInterval == 60)
        #expect(config.keepWhenEnteringBackground && StorageVocabularyTests.name(of: config.expiration) == "never")
        #if os(Linux)
            // Elsewhere the system decides when to evict.
            #expect(storage.isCached(forKey: "c") && !storage.isCached(forKey: "a"))
        #endif
    }

    @Test func `a value is found until it is removed`() {
        let storage = storage()
        storage.store(value: Profile(name: "Ann"), forKey: "a")
        storage.store(value: Profile(name: "Bob"), forKey: "b", expiration: .days(1))
        #expect(storage.isCached(forKey: "a") && storage.value(forKey: "a")?.name == "Ann")
        #expect(storage.value(forKey: "b", extendingExpiration: .expirationTime(.never))?.name == "Bob")
        #expect(storage.totalCacheCost() == 6)
        storage.remove(forKey: "a")
        #expect(!storage.isCached(forKey: "a") && storage.value(forKey: "a", extendingExpiration: .none) == nil)
        storage.removeAll()
        #expect(!storage.isCached(forKey: "b") && storage.totalCacheCost() == 0)
    }

    @Test func `an expired value is not stored, and the next clean removes values that expire`() async {
        let storage = storage { $0.cleanInterval = 0 }
        storage.store(value: Profile(name: "Ann"), forKey: "a", expiration: .expired)
        #expect(!storage.isCached(forKey: "a") && storage.totalCacheCost() == 0)
        storage.store(value: Profile(name: "Bob"), forKey: "b", expiration: .seconds(0.02))
        while storage.isCached(forKey: "b") { await Task.yield() }
        #expect(storage.value(forKey: "b") == nil && storage.totalCacheCost() == 3)
        storage.removeExpired()
        #expect(storage.totalCacheCost() == 0)
    }

    @Test func `a read extends the expiration as requested`() {
        let storage = storage { $0.expiration = .seconds(1000) }
        storage.store(value: Profile(name: "Ann"), forKey: "a")
        #expect(storage.value(forKey: "a", extendingExpiration: .expirationTime(.expired))?.name == "Ann")
        #expect(storage.value(forKey: "a") == nil)
    }
}
