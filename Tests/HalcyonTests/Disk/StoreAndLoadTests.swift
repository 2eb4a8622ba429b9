import Foundation
import Halcyon
import HalcyonTestSupport
import Testing

@Suite struct StoreAndLoadTests {
    @Test func `a stored value comes back byte for byte`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.totalSize() == 100)
        }
    }

    @Test func `a value survives a relaunch`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a second store replaces the first`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed, count: 100 + seed), forKey: "a") }
            #expect(try cache.storage.value(forKey: "a") == .blob(19, count: 119))
            #expect(try cache.storage.totalSize() == 119)
        }
    }

    @Test func `a removal deletes row and blob`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.remove(forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.totalSize() == 0)
            #expect(!FileManager.default.fileExists(atPath: cache.storage.cacheFileURL(forKey: "a").path))
        }
    }

    @Test func `the least recently used entries are evicted until half of the limit is left`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            for seed in [0, 2] { _ = try cache.storage.value(forKey: "\(seed)") }
            let removed = try cache.storage.removeSizeExceededValues()
            let expected = [1, 3, 4, 5, 6].map { cache.storage.cacheFileURL(forKey: "\($0)") }
            #expect(removed == expected)
            #expect(try cache.storage.totalSize() == 500)
        }
    }
}
