import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An image and its variants, as ``ImageCache`` stores and removes them.
@Suite(.endsEvenIfItHangs) struct VariantTests {
    /// Stores images as an app does, each under a key and a processor.
    private func fill(_ subject: CacheUnderTest, _ images: [(key: String, processor: String)]) async throws {
        for (key, processor) in images {
            try await subject.cache.store(Pictures.image(), forKey: key, processorIdentifier: processor)
        }
    }

    private func keys(_ subject: CacheUnderTest) throws -> [String?] {
        try subject.storage.entries(sortedBy: .key).entries.map(\.key)
    }

    /// Removes an image with its variants, and checks that the handler is called once.
    private func remove(_ key: String, _ subject: CacheUnderTest) async throws -> [DiskStorage.EntryInfo] {
        try await subject.once { subject.cache.removeImageAndVariants(forKey: key, completionHandler: $0) }.value.get()
    }

    @Test(arguments: [false, true]) func `variants are removed with their image, and other images stay`(reopening: Bool)
        async throws
    {
        try await withImageCache { subject in
            try await fill(
                subject,
                [
                    ("K", ""), ("K", "blur"), ("K", "a@b"), ("K@2x.png", ""), ("K@2x.png", "blur"), ("KK", ""),
                    ("k", "blur"),
                ])
            subject.cache.clearMemoryCache()
            if reopening {
                await subject.cache.suspend()
                subject.cache.resume()
            }
            #expect(try await remove("K", subject).compactMap(\.key).sorted() == ["K", "K@a@b", "K@blur"])
            #expect(try keys(subject) == ["K@2x.png", "K@2x.png@blur", "KK", "k@blur"])
            #expect(
                try await remove("K@2x.png", subject).map(\.processorIdentifier).compactMap(\.self).sorted() == [
                    "", "blur",
                ])
            #expect(try keys(subject) == ["KK", "k@blur"])
            #expect(try await remove("none", subject) == [])
        }
    }

    @Test func `while an image is being removed, others whose keys begin with its key are found and fetched`()
        async throws
    {
        try await withImageCache { subject in
            try await fill(subject, [("K", ""), ("K", "blur"), ("K@2x.png", "")])
            subject.cache.clearMemoryCache()
            let gate = DispatchSemaphore(value: 0)
            let fetched = Task {
                try await subject.cache.retrieveImage(forKey: "K@3x.png") {
                    await withCheckedContinuation { resumption in
                        DispatchQueue.global().async {
                            gate.wait()
                            resumption.resume()
                        }
                    }
                    return .init(try Pictures.image())
                }
            }
            try await eventually { subject.cache.flights.count == 1 }
            subject.cache.ioQueue.queue.suspend()
            subject.cache.removeImageAndVariants(forKey: "K", completionHandler: { _ in })
            #expect(subject.cache.imageCachedType(forKey: "K") == .none)
            #expect(subject.cache.imageCachedType(forKey: "K", processorIdentifier: "blur") == .none)
            #expect(subject.cache.imageCachedType(forKey: "K@2x.png") == .disk)
            subject.cache.ioQueue.queue.resume()
            await subject.cache.close()
            gate.signal()
            _ = try await fetched.value
            await subject.cache.close()
            #expect(try keys(subject) == ["K@2x.png", "K@3x.png"])
        }
    }

    @Test func `for a key with an at sign, the last store decides whose variant it is`() async throws {
        try await withImageCache { subject in
            try await fill(subject, [("K@blur", "")])
            #expect(try await remove("K", subject) == [])
            try await fill(subject, [("K", "blur")])
            #expect(try await remove("K@blur", subject) == [])
            #expect(try await remove("K", subject).map(\.key) == ["K@blur"])
        }
    }

    @Test func `variants of unknown origin are removed with their image`() async throws {
        try await withImageCache { subject in
            try subject.fill(["K", "K@blur", "K@2x.png", "K@", "KK", "K2@blur"])
            try subject.disk.forgetOrigins()
            #expect(try await remove("K", subject).compactMap(\.key).sorted() == ["K", "K@", "K@2x.png", "K@blur"])
            #expect(try keys(subject) == ["K2@blur", "KK"])
        }
    }

    @Test func `a store without an origin keeps the recorded one`() async throws {
        try await withImageCache { subject in
            try await fill(subject, [("K@2x.png", "")])
            try subject.fill(["K@2x.png"])
            #expect(try await remove("K", subject) == [])
            #expect(try keys(subject) == ["K@2x.png"])
        }
    }

    @Test func `images with another extension are variants too`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(.blob(1), forKey: "K", forcedExtension: "jpg")
            try await subject.cache.storeToDisk(.blob(1), forKey: "K", processorIdentifier: "p", forcedExtension: "png")
            try await subject.cache.storeToDisk(.blob(1), forKey: "K", processorIdentifier: "p")
            #expect(try await remove("K", subject).count == 3)
            #expect(try subject.storage.totalSize() == 0)
        }
    }

    @Test func `variants are found without stored keys`() async throws {
        try await withImageCache(configure: { $0.storesKeys = false }) { subject in
            try await fill(subject, [("K", ""), ("K", "blur"), ("K@2x.png", ""), ("L", "")])
            // The cache does not know the image of this one.
            try subject.fill(["K@small"])
            subject.cache.clearMemoryCache()
            #expect(try await remove("K", subject).map(\.key) == [nil, nil])
            #expect(
                !subject.cache.isCached(forKey: "K")
                    && !subject.cache.isCached(forKey: "K", processorIdentifier: "blur"))
            #expect(subject.cache.isCached(forKey: "K@2x.png") && subject.cache.isCached(forKey: "L"))
            #expect(subject.storage.isCached(forKey: "K@small"))
        }
    }

    @Test func `keys that differ in their Unicode form alone both leave memory`() async throws {
        try await withImageCache(configure: { $0.storesKeys = false }) { subject in
            let keys = ["\u{E9}.png", "e\u{301}.png"]
            for key in keys {
                try await subject.cache.store(Pictures.image(1), forKey: key, attributes: .init(tags: ["t"]))
            }
            #expect(try await subject.cache.removeImages(matching: .init(tag: "t")).count == 2)
            #expect(keys.map { subject.cache.imageCachedType(forKey: $0) } == [.none, .none])
        }
    }

    // MARK: Files that were there before

    private func folder(_ subject: CacheUnderTest) -> URL {
        subject.disk.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
    }

    @Test func `variants among adopted files are known once they have been looked up`() async throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        let folder = disk.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for key in ["K", "K@blur", "K@2x.png", "K@small"] {
            try Pictures.small[0].write(to: folder.appendingPathComponent(Digest(of: key).hexadecimal))
        }
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        #expect(try await cache.removeImageAndVariants(forKey: "K") == [])
        for (key, processor) in [("K", ""), ("K", "blur"), ("K@2x.png", "")] {
            let found = try await cache.retrieveImage(forKey: key, options: [.processor(Variant(processor))])
            #expect(found.cacheType == .disk)
        }
        disk.settle()
        try disk.storage.update(.init(tags: ["t"]), forKey: "K")
        #expect(try await cache.removeImageAndVariants(forKey: "K").compactMap(\.key).sorted() == ["K", "K@blur"])
        #expect(
            cache.imageCachedType(forKey: "K") == .none
                && cache.imageCachedType(forKey: "K", processorIdentifier: "blur") == .none)
        #expect(disk.storage.isCached(forKey: "K@2x.png") && disk.storage.isCached(forKey: "K@small"))
        try disk.requireViews()
        try disk.requireClean()
    }

    // MARK: What cannot be removed

    @Test func `a variant that cannot be removed keeps its attributes`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 2
        try await withImageCache(tuning: tuning) { subject in
            try await fill(subject, [("K", ""), ("K", "a"), ("K", "b"), ("K", "c"), ("K", "d")])
            let known = DiskStorage.EntryAttributes(tags: ["t"], validators: .init(etag: "\"1\""), metadata: ["a": "b"])
            try subject.storage.update(known, forKey: "K@b")
            let before = try subject.storage.entry(forKey: "K@b")
            let stuck = BlobName(text: subject.storage.cacheFileURL(forKey: "K@b").lastPathComponent)
            subject.disk.fileSystem.fail(.rename, EPERM, times: nil, path: "/trash/\(stuck.rowID).")
            #expect(try await remove("K", subject).compactMap(\.key).sorted() == ["K", "K@a", "K@c", "K@d"])
            #expect(try subject.storage.entry(forKey: "K@b") == before && before?.tags == ["t"])
            let failure = await subject.once {
                subject.cache.removeImageAndVariants(forKey: "K", completionHandler: $0)
            }
            #expect(failure.value.error?.errorCode == 3002 || failure.value.error != nil)
            subject.disk.fileSystem.heal()
            #expect(try subject.storage.value(forKey: "K@b") != nil)
            #expect(try await remove("K", subject).map(\.key) == ["K@b"])
            try subject.disk.requireViews()
        }
    }

    @Test func `a value stored through the storage is an original under its whole key`() async throws {
        try await withImageCache { subject in
            try subject.storage.store(value: .blob(1), forKey: "K@blur")
            let entry = try #require(try subject.storage.entry(forKey: "K@blur"))
            #expect(entry.baseKey == "K@blur" && entry.processorIdentifier == "")
        }
    }

    /// A row of version 0.1.0 that has only a key, and an adopted file.
    @Test(arguments: ["key = key", "key = NULL"])
    func `a lookup by key records which image a row belongs to`(edit: String) async throws {
        try await withImageCache { subject in
            let address = "https://img1.example.com/a.png"
            try await subject.cache.storeToDisk(.blob(1), forKey: address, processorIdentifier: "blur")
            try subject.disk.forgetOrigins()
            try subject.storage.store.index.write { try $0.execute("UPDATE entries SET \(edit)") }
            #expect(try subject.storage.entries().entries.map(\.baseKey) == [nil])
            _ = try? await subject.cache.retrieveImageInDiskCache(
                forKey: address, options: [.processor(Variant("blur"))])
            subject.storage.store.flushAccessLogNow()
            let entry = try #require(
                try subject.storage.entries(matching: .init(host: "img1.example.com")).entries.first)
            #expect(entry.baseKey == address && entry.processorIdentifier == "blur")
            let index = try Connection(path: subject.disk.index.path, access: .queryOnly)
            #expect(try index.texts("SELECT host FROM entries") == ["img1.example.com"])
        }
    }

    @Test func `a host filter finds rows whose host is not recorded yet`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(.blob(1), forKey: "https://img1.example.com/a.png")
            try await subject.cache.storeToDisk(.blob(1), forKey: "https://img2.example.com/a.png")
            try subject.storage.store.index.write { try $0.execute("UPDATE entries SET host = NULL") }
            let filter = DiskStorage.EntryFilter(host: "IMG1.example.com")
            #expect(try subject.storage.entries(matching: filter).entries.count == 1)
            #expect(try subject.storage.totals(matching: filter).entries == 1)
        }
    }

    @Test func `a variant of a URL without a path has the URL's host`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(
                .blob(1), forKey: "https://img1.example.com", processorIdentifier: "blur")
            let entry = try #require(
                try subject.storage.entries(matching: .init(host: "img1.example.com")).entries.first)
            #expect(entry.processorIdentifier == "blur")
            let index = try Connection(path: subject.disk.index.path)
            #expect(try index.texts("SELECT host FROM cache_hosts") == ["img1.example.com"])
        }
    }
}
