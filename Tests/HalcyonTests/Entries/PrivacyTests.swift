import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Keys may hold names and tokens.
@Suite struct PrivacyTests {
    private let secret = "https://private.example.com/token-5f3a9c/photo.jpg"

    private func bytes(of cache: CacheFixture) throws -> String {
        let files = try FileManager.default.contentsOfDirectory(at: cache.metadata, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasPrefix("index") && $0.pathExtension != "sqlite-shm" }
            .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
    }

    @Test func `a key that a read has noted is not written after storesKeys is set to false`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: secret)
            cache.storage.close()
            try FileManager.default.removeItem(at: cache.metadata)
            cache.reopen()
            // The rebuilt entry has no key yet.
            cache.settle()
            #expect(try cache.storage.value(forKey: secret) == .blob(1))
            cache.storage.config.storesKeys = false
            cache.settle()
            try cache.storage.flush()
            #expect(try !bytes(of: cache).contains("token-5f3a9c"))
            #expect(try cache.storage.entry(forKey: secret)?.key == nil)
        }
    }

    @Test func `another storage on the directory, with the defaults, changes none of its settings`() throws {
        try withCache { cache in
            cache.environment.isShared = true
            func make(_ change: (inout DiskStorage.Config) -> Void) -> DiskStorage.Backend<Data> {
                var config = cache.config
                change(&config)
                return .init(noThrowConfig: config, creatingDirectory: true, environment: cache.environment)
            }
            let storage = make { ($0.storesKeys, $0.usesHashedFileName, $0.expiration) = (false, false, .never) }
            var other: DiskStorage.Backend<Data>? = make { $0.expiration = .days(1) }
            for number in 0..<2 {
                try storage.store(value: .blob(number), forKey: "secret \(number)")
                #expect(try storage.entry(forKey: "secret \(number)")?.key == nil)
                let settings = storage.store.condition.settings
                #expect(!settings.storesKeys && !settings.namesAreHashed)
                #expect(settings.adoptionExpiration.timeInterval == .infinity)
                other = nil
            }
            _ = other
            storage.config.storesKeys = true
            #expect(storage.store.condition.settings.storesKeys)
        }
    }

    @Test func `without stored keys lookups work, lists show file names, and no file contains a key`() throws {
        try withCache(configure: { $0.storesKeys = false }) { cache in
            try cache.storage.store(
                value: .blob(1), forKey: secret, origin: KeyOrigin(baseKey: secret), expiration: nil, writeOptions: [],
                forcedExtension: nil, attributes: .init(tags: ["a"]))
            #expect(try cache.storage.value(forKey: secret) == .blob(1))
            #expect(cache.storage.isCached(forKey: secret))
            let entry = try #require(try cache.storage.entries(sortedBy: .key).entries.first)
            #expect(entry.key == nil && entry.baseKey == nil && entry.processorIdentifier == nil && entry.tags == ["a"])
            #expect(entry.fileURL == cache.storage.cacheFileURL(forKey: secret))
            #expect(try cache.storage.entries(matching: .init(keyPrefix: "https")).entries == [])
            #expect(try cache.storage.entries(matching: .init(host: "private.example.com")).entries == [])
            cache.storage.store.flushAccessLogNow()
            #expect(try !bytes(of: cache).contains("token-5f3a9c"))
            cache.reopen()
            #expect(try cache.storage.value(forKey: secret) == .blob(1))
            cache.storage.store.flushAccessLogNow()
            #expect(try !bytes(of: cache).contains("private.example"))
            try cache.storage.remove(forKey: secret)
            #expect(try cache.storage.totals().entries == 0)
        }
    }

    @Test func `a set-aside index goes when everything is removed, and after a day without stored keys`() throws {
        try withCache { cache in
            let damaged = cache.index.path + ".damaged"
            // A set-aside index may be from before the clock was set back.
            cache.fileSystem.lead(by: -3_600)
            for isClearing in [true, false] {
                try cache.storage.store(value: .blob(1), forKey: secret)
                cache.storage.close()
                try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
                cache.reopen()
                cache.settle()
                try #expect(cache.storage.entry(forKey: secret)?.key == secret)
                #expect(FileManager.default.fileExists(atPath: damaged))
                if isClearing {
                    try cache.storage.removeAll()
                } else {
                    cache.fileSystem.lead(by: 2 * 86_400)
                    cache.storage.config.storesKeys = false
                }
                cache.settle()
                #expect(!FileManager.default.fileExists(atPath: damaged), "\(isClearing)")
            }
        }
    }

    @Test func `without stored keys, variants are found by hash`() async throws {
        try await withImageCache(configure: { $0.storesKeys = false }) { subject in
            for processor in ["", "p", "q@r"] {
                try await subject.cache.storeToDisk(.blob(1), forKey: secret, processorIdentifier: processor)
            }
            try await subject.cache.storeToDisk(.blob(1), forKey: "\(secret)2")
            let gone = try await subject.cache.removeImageAndVariants(forKey: secret)
            #expect(gone.count == 3)
            #expect(try subject.storage.totals().entries == 1)
        }
    }

    @Test func `stored keys are deleted at the next opening`() throws {
        let isPrivate = Locked(false)
        try withCache(configure: { $0.storesKeys = !isPrivate.withLock { $0 } }) { cache in
            for seed in 0..<600 { try cache.storage.store(value: .blob(seed), forKey: "\(secret)#\(seed)") }
            #expect(try cache.storage.totals(matching: .init(host: "private.example.com")).entries == 600)
            isPrivate.withLock { $0 = true }
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            #expect(try cache.storage.entries(sortedBy: .key, limit: 1_000).entries.compactMap(\.key) == [])
            #expect(try cache.storage.value(forKey: "\(secret)#7") == .blob(7))
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.storage.store.close()
            #expect(try !bytes(of: cache).contains("private.example"))
            isPrivate.withLock { $0 = false }
            cache.reopen()
            #expect(try cache.storage.value(forKey: "\(secret)#7") == .blob(7))
            #expect(try cache.storage.entries(matching: .init(host: "private.example.com")).entries.count == 1)
        }
    }

    @Test func `if rewriting the file fails after keys were forgotten, it is repeated`() throws {
        try withCache { cache in
            for seed in 0..<600 { try cache.storage.store(value: .blob(seed), forKey: "\(secret)#\(seed)") }
            cache.settle()
            let store = cache.storage.store
            var settings = store.condition.settings
            settings.storesKeys = false
            store.condition.set(settings, for: ObjectIdentifier(cache.storage), at: cache.clock.now)
            // After those of the three batches.
            cache.refuseCommits(after: 3)
            #expect(throws: SQLiteError.self) { try store.sweeper.forgetKeys() }
            #expect(try cache.storage.entries(sortedBy: .key, limit: 1_000).entries.compactMap(\.key).count == 1)
            try store.sweeper.forgetKeys()
            #expect(try cache.storage.entries(sortedBy: .key, limit: 1_000).entries.compactMap(\.key) == [])
            store.close()
            #expect(try !bytes(of: cache).contains("private.example"))
        }
    }

    @Test func `a key that was removed does not stay in the file`() throws {
        try withCache { cache in
            for seed in 0..<200 { try cache.storage.store(value: .blob(seed), forKey: "other \(seed)") }
            try cache.storage.store(value: .blob(1), forKey: secret, attributes: .init(tags: ["tag-5f3a9c"]))
            #expect(try cache.storage.totals(matching: .init(host: "private.example.com")).entries == 1)
            cache.storage.store.index.checkpoint()
            #expect(try bytes(of: cache).contains("token-5f3a9c"))
            try cache.storage.remove(forKey: secret)
            _ = try cache.storage.entries(sortedBy: .key)
            cache.storage.store.close()
            let left = try bytes(of: cache)
            #expect(!left.contains("5f3a9c") && !left.contains("private.example"))
        }
    }

    @Test func `secure deletion is on, whatever SQLite's build options`() throws {
        try withCache { cache in
            _ = try cache.storage.totalSize()
            let session = try cache.storage.store.index.write { try $0.connection.integer("PRAGMA secure_delete") }
            #expect(session == 1)
        }
    }

    @Test func `no error and no warning names a key, a tag or a note`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: secret)
            let attributes = DiskStorage.EntryAttributes(tags: ["5f3a9c"], metadata: ["5f3a9c": "5f3a9c"])
            let acts: [() throws -> Void] = [
                { try cache.storage.store(value: .blob(1), forKey: secret, attributes: attributes) },
                { _ = try cache.storage.update(attributes, forKey: secret) },
                { _ = try cache.storage.removeEntries(matching: .init(keyPrefix: secret, tag: "5f3a9c")) },
                { _ = try cache.storage.entries(matching: .init(host: "private.example.com"), sortedBy: .key) },
            ]
            cache.storage.suspend()
            for act in acts {
                let error = #expect(throws: KingfisherError.self) { try act() }
                for text in [
                    error?.localizedDescription, error?.errorDescription, error.map { "\($0.errorUserInfo.keys)" },
                ] {
                    #expect(text?.contains("5f3a9c") == false)
                }
            }
            cache.storage.resume()
            #expect(cache.warnings.withLock { $0 }.isEmpty)
        }
    }
}
