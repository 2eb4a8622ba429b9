import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct AttributeTests {
    private let validators = DiskStorage.HTTPValidators(
        etag: "W/\"67ab43\"", lastModified: "Wed, 21 Oct 2015 07:28:00 GMT", maxAge: 604_800,
        validatedAt: Date(timeIntervalSince1970: 1_445_412_480.5), age: 12, staleWhileRevalidate: 60,
        mustRevalidate: true)
    private let metadata = ["size": "320×200", "quote": "\"'; DROP TABLE entries; --", "": "\u{0}\n🦊"]

    @Test func `the attributes of a store can be read without the blob, also after a relaunch`() throws {
        try withCache { cache in
            let attributes = DiskStorage.EntryAttributes(tags: ["b", "a"], validators: validators, metadata: metadata)
            try cache.storage.store(value: .blob(1), forKey: "k", attributes: attributes)
            for _ in 0..<2 {
                let reads = Locked(0)
                cache.fileSystem.observe { call, _ in if call == .openForReading { reads.withLock { $0 += 1 } } }
                let entry = try #require(try cache.storage.entry(forKey: "k"))
                cache.fileSystem.observe(nil)
                #expect(entry.tags == ["a", "b"] && entry.validators == validators && entry.metadata == metadata)
                #expect(reads.withLock { $0 } == 0)
                cache.reopen()
            }
        }
    }

    @Test func `an update changes what it names, and no blob`() throws {
        try withCache { cache in
            try cache.storage.store(
                value: .blob(1), forKey: "k", attributes: .init(tags: ["a"], validators: validators, metadata: metadata)
            )
            let path = cache.storage.cacheFileURL(forKey: "k").path
            let before = try cache.fileSystem.status(at: path)
            #expect(try cache.storage.update(.init(metadata: ["x": "y"]), forKey: "k"))
            var entry = try #require(try cache.storage.entry(forKey: "k"))
            #expect(entry.tags == ["a"] && entry.validators == validators && entry.metadata == ["x": "y"])
            #expect(try cache.storage.update(.init(tags: [], validators: .init(maxAge: 5)), forKey: "k"))
            entry = try #require(try cache.storage.entry(forKey: "k"))
            #expect(
                entry.tags == [] && entry.validators?.maxAge == 5 && entry.validators?.etag == nil
                    && entry.metadata == ["x": "y"])
            #expect(try cache.storage.update(.init(validators: .init(), metadata: [:]), forKey: "k"))
            entry = try #require(try cache.storage.entry(forKey: "k"))
            #expect(entry.validators == nil && entry.metadata == [:])
            #expect(try Connection(path: cache.index.path).integer("SELECT count(*) FROM metadata") == 0)
            #expect(try cache.fileSystem.status(at: path) == before)
        }
    }

    @Test func `a store without attributes drops those of the bytes and keeps those of the key`() throws {
        try withCache { cache in
            try cache.storage.store(
                value: .blob(1), forKey: "k",
                attributes: .init(isPinned: true, tags: ["a"], validators: validators, metadata: metadata))
            try cache.storage.store(value: .blob(2), forKey: "k")
            let entry = try #require(try cache.storage.entry(forKey: "k"))
            #expect(entry.isPinned && entry.tags == ["a"] && entry.validators == nil && entry.metadata == [:])
            // An update with some attributes: the omitted ones do not belong to these bytes.
            try cache.storage.update(.init(validators: validators, metadata: metadata), forKey: "k")
            try cache.storage.store(value: .blob(3), forKey: "k", attributes: .init(metadata: ["n": "1"]))
            let next = try #require(try cache.storage.entry(forKey: "k"))
            #expect(next.validators == nil && next.metadata == ["n": "1"])
        }
    }

    @Test func `a removed entry's attributes are removed with it`() throws {
        try withCache { cache in
            let all = DiskStorage.EntryAttributes(tags: ["a"], validators: validators, metadata: metadata)
            for seed in 0..<4 {
                try cache.storage.store(
                    value: .blob(seed), forKey: "\(seed)", expiration: .seconds(10), attributes: all)
            }
            try cache.storage.remove(forKey: "0")
            try cache.storage.removeEntries(matching: .init(text: "1", tag: "a"))
            _ = try cache.storage.store.evictor.evict(downTo: Totals(entries: 1, bytes: .max))
            cache.clock.advance(by: 20)
            #expect(try cache.storage.removeExpiredValues().count == 1)
            let index = try Connection(path: cache.index.path)
            #expect(try index.integer("SELECT (SELECT count(*) FROM tags) + (SELECT count(*) FROM metadata)") == 0)
            try cache.storage.store(value: .blob(9), forKey: "0")
            #expect(try cache.storage.entry(forKey: "0")?.tags == [])
        }
    }

    @Test func `a copied folder keeps all attributes, although every token changes`() throws {
        try withCache { cache in
            try cache.storage.store(
                value: .blob(1), forKey: "k", attributes: .init(tags: ["a"], validators: validators, metadata: metadata)
            )
            cache.storage.store.close()
            // The original stays elsewhere, so that the copy gets other inode numbers.
            let original = cache.directory.deletingLastPathComponent().appendingPathComponent("original")
            try FileManager.default.moveItem(at: cache.directory, to: original)
            try FileManager.default.copyItem(at: original, to: cache.directory)
            cache.reopen()
            cache.settle()
            let entry = try #require(try cache.storage.entry(forKey: "k"))
            #expect(entry.tags == ["a"] && entry.validators == validators && entry.metadata == metadata)
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
        }
    }

    @Test func `an entry that cannot be removed keeps its attributes`() throws {
        try withCache { cache in
            for seed in 0..<3 {
                try cache.storage.store(
                    value: .blob(seed), forKey: "\(seed)",
                    attributes: .init(tags: ["a"], validators: validators, metadata: metadata))
            }
            _ = try cache.storage.value(forKey: "0")
            let name = cache.storage.cacheFileURL(forKey: "1").lastPathComponent
            cache.fileSystem.fail(.rename, EACCES, times: nil, path: "trash/\(BlobName(text: name).rowID)")
            #expect(try cache.storage.removeEntries(matching: .all).count == 2)
            #expect(try cache.storage.store.evictor.evict(downTo: Totals(entries: 0, bytes: 0)).entries == 0)
            let entry = try #require(try cache.storage.entry(forKey: "1"))
            #expect(entry.tags == ["a"] && entry.validators == validators && entry.metadata == metadata)
            cache.fileSystem.heal()
            #expect(try cache.storage.removeEntries(matching: .init(tag: "a")).map(\.metadata) == [metadata])
        }
    }

    @Test func `attributes that are too long are refused with a remedy and change nothing`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "k")
            let wrong: [DiskStorage.EntryAttributes] = [
                .init(tags: [""]), .init(tags: [String(repeating: "x", count: 1_001)]),
                .init(metadata: ["k": String(repeating: "x", count: 17_000)]),
                .init(validators: .init(etag: String(repeating: "x", count: 17_000))),
            ]
            for attributes in wrong {
                for act in [
                    { try cache.storage.store(value: .blob(2), forKey: "k", attributes: attributes) },
                    { _ = try cache.storage.update(attributes, forKey: "k") },
                ] {
                    let error = #expect(throws: KingfisherError.self) { try act() }
                    #expect(
                        error?.localizedDescription.contains("Use short words") == true
                            || error?.localizedDescription.contains("a separate entry") == true)
                }
            }
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            #expect(try cache.storage.entry(forKey: "k")?.tags == [])
        }
    }

    @Test func `an update that depends on current attributes is atomic`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "k")
            let second = cache.makeStorage()
            DispatchQueue.concurrentPerform(iterations: 40) { number in
                let storage = number % 2 == 0 ? cache.storage : second
                _ = try? storage.update(forKey: "k") { .init(tags: Set($0.tags).union(["\(number)"])) }
            }
            #expect(try cache.storage.entry(forKey: "k")?.tags.count == 40)
            struct Mine: Error {}
            let failures = Locked(0)
            cache.storage.config.observer = { event in
                if event.kind == .failure { failures.withLock { $0 += 1 } }
            }
            let error = #expect(throws: KingfisherError.self) {
                try cache.storage.update(forKey: "k") { _ in throw Mine() }
            }
            guard case .cacheError(.invalidURLResource(let cause, "k", _)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(cause is Mine && failures.withLock { $0 } == 0, "The cache has not failed.")
        }
    }

    @Test func `damaged metadata count as none`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "k", attributes: .init(metadata: ["a": "b"]))
            try Connection(path: cache.index.path).execute("UPDATE metadata SET fields = '[1,', max_age = 'x'")
            let entry = try #require(try cache.storage.entry(forKey: "k"))
            #expect(entry.metadata == [:])
        }
    }

    @Test func `an image can be stored with attributes`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image(0)
            let call = await subject.once {
                subject.cache.store(
                    image, forKey: "k", attributes: .init(tags: ["a"], validators: validators),
                    completionHandler: $0)
            }
            #expect(call.value.diskCacheResult.error == nil && subject.cache.imageCachedType(forKey: "k") == .memory)
            #expect(try subject.storage.entry(forKey: "k")?.validators == validators)
            let other = await subject.once {
                subject.cache.storeToDisk(
                    .blob(1), forKey: "k", processorIdentifier: "p", attributes: .init(tags: ["a"]),
                    completionHandler: $0)
            }
            #expect(other.value.diskCacheResult.error == nil)
            let entries = try subject.storage.entries(matching: .init(tag: "a"), sortedBy: .key).entries
            #expect(entries.map(\.processorIdentifier) == ["", "p"] && entries.map(\.baseKey) == ["k", "k"])
        }
    }

    @Test func `absurd numbers in the index crash nothing`() throws {
        try withCache { cache in
            for seed in 0..<2 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try cache.storage.store.index.write {
                try $0.connection.execute(
                    "UPDATE entries SET slack = 9223372036854775807, hits = 9223372036854775807, base_length = 9223372036854775807"
                )
            }
            #expect(try cache.storage.entries().entries.count == 2)
            _ = try cache.storage.usage()
            try cache.storage.store.index.write {
                try $0.connection.execute("UPDATE entries SET slack = 0, hits = 0, base_length = NULL")
            }
        }
    }

    @Test func `two updates together cannot exceed the limit of metadata`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "k", attributes: .init(metadata: ["a": text(9_000)]))
            let error = #expect(throws: KingfisherError.self) {
                try cache.storage.update(.init(validators: .init(etag: text(9_000))), forKey: "k")
            }
            #expect(error?.cause?.code == .invalidAttributes)
            #expect(try cache.storage.entry(forKey: "k")?.validators == nil)
            try cache.storage.update(.init(validators: .init(etag: text(9_000)), metadata: [:]), forKey: "k")
        }
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }
}
