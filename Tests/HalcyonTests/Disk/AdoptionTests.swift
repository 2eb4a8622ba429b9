import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A folder that Kingfisher wrote: hashed files and no index.
@Suite(.endsEvenIfItHangs) struct AdoptionTests {
    /// Files as Kingfisher names them, with an old modification date.
    private func kingfisherFolder(_ cache: CacheFixture, count: Int) throws -> URL {
        let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for seed in 0..<count {
            let file = folder.appendingPathComponent(
                BlobName(key: "\(seed)", isHashed: true, pathExtension: nil).text)
            try Data.blob(seed).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
        }
        return folder
    }

    @Test func `file names are Kingfisher's`() {
        // printf 'https://example.com/a.png' | sha256sum
        let name = BlobName(key: "https://example.com/a.png", isHashed: true, pathExtension: "png").text
        #expect(name == "494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab.png")
    }

    @Test func `every file hits at once and becomes an entry`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 30)
            #expect(try cache.storage.value(forKey: "3") == .blob(3))
            #expect(cache.storage.isCached(forKey: "4"))
            #expect(try cache.storage.totalSize() == 3_000)
            cache.settle()
            for seed in 0..<30 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test(arguments: 1...8)
    func `after a refused commit, the next query adopts the remaining files`(refused: Int) throws {
        let commits = Locked(0)
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 3)
            cache.beforeCommit {
                commits.withLock { commits in
                    commits += 1
                    return commits != refused
                }
            }
            // Housekeeping or a query meets the refusal; the query after it sees all files.
            let counts = (0..<3).compactMap { _ in try? cache.storage.entries(matching: .all).entries.count }
            #expect(counts.last == 3 && counts.count >= 2, "refused: the one of \(commits.withLock { $0 })")
            cache.settle()
            try #expect(cache.storage.entries(matching: .all).entries.count == 3)
        }
    }

    @Test func `a lookup records the key of an adopted file`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 3)
            _ = try cache.storage.totalSize()
            _ = try cache.storage.value(forKey: "1")
            cache.reopen()
            let keys = try cache.storage.store.index.read { try $0.page(after: .min, limit: 10).compactMap(\.key) }
            #expect(keys == ["1"])
        }
    }

    @Test func `a file lives from its creation date, which Kingfisher sets at each store and read`() throws {
        try withCache { cache in
            let (now, day) = (Timestamp(Date()), Int64(86_400_000))
            let file = FileStatus(
                kind: .regular, device: 1, inode: 1, size: 1, allocatedSize: 1, modified: now.advanced(by: 30 * day),
                modifiedMicroseconds: 0, created: now.advanced(by: -10 * day), changed: now, links: 1)
            let lifetime = cache.storage.store.adopter.adoptedLifetime(of: file, at: now)
            #expect(lifetime == Lifetime(expiresAt: file.modified, timeToLive: 40 * day))
        }
    }

    @Test func `an adopted file lives for a week, whatever its dates`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 3)
            #expect(try cache.storage.removeExpiredValues() == [])
            cache.clock.advance(by: 7 * 86_400 - 1)
            #expect(cache.storage.isCached(forKey: "1"))
            cache.clock.advance(by: 2)
            #expect(try cache.storage.removeExpiredValues().count == 3)
        }
    }

    @Test func `removals, stores and clears include files that have no row yet`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 5)
            try cache.storage.store(value: .blob(100), forKey: "0")
            try cache.storage.remove(forKey: "1")
            #expect(try cache.storage.value(forKey: "0") == .blob(100))
            #expect(try cache.storage.value(forKey: "1") == nil)
            #expect(try cache.storage.totalSize() == 400)
            try cache.storage.removeAll()
            #expect(try cache.storage.totalSize() == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.directory.path) == [".halcyon"])
        }
    }

    @Test func `a store over a file without a row that fails keeps the file`() throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 1)
        cache.fileSystem.fail(.list, EIO, times: nil)
        #expect(cache.storage.isCached(forKey: "0"))
        cache.refuseCommits(after: 1)
        #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(9), forKey: "0") }
        cache.fileSystem.heal()
        #expect(try cache.storage.value(forKey: "0") == .blob(0))
        cache.reopen()
        #expect(try cache.storage.totalSize() == 100)
        try cache.requireClean()
    }

    @Test func `the first call of a storage, a store that must not overwrite, respects a file without a row`() throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 1)
        let storage = cache.makeStorage(isOpened: false)
        #expect(throws: KingfisherError.self) {
            try storage.store(value: .blob(9), forKey: "0", writeOptions: .withoutOverwriting)
        }
        #expect(try storage.value(forKey: "0") == .blob(0))
    }

    @Test func `the first call of a storage, a store that fails, keeps the file without a row`() throws {
        let cache = try CacheFixture()
        let file = try kingfisherFolder(cache, count: 1).appendingPathComponent(
            BlobName(key: "0", isHashed: true, pathExtension: nil).text)
        let storage = cache.makeStorage(isOpened: false)
        // Refuses the commit after the exchange of the files.
        cache.beforeCommit { (try? Data(contentsOf: file)) != .blob(9) }
        #expect(throws: KingfisherError.self) { try storage.store(value: .blob(9), forKey: "0") }
        storage.close()
        cache.beforeCommit { true }
        #expect(try cache.storage.value(forKey: "0") == .blob(0))
        try cache.requireClean()
    }

    @Test func `a store replaces a file that another process has ended the adoption of`() throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 1)
        cache.fileSystem.fail(.list, EIO, times: nil)
        #expect(cache.storage.isCached(forKey: "0"))
        cache.settle()
        // As a clear by another process does first.
        let other = cache.makeStorage()
        try other.store.index.write { session in
            var state = try session.state()
            state.endSearch(namesAreHashed: true)
            try session.setState(state)
        }
        #expect(cache.storage.store.condition.isSearching)
        try cache.storage.store(value: .blob(9), forKey: "0")
        #expect(try cache.storage.value(forKey: "0") == .blob(9))
    }

    @Test func `a lookup with metadata, as the first call of a storage, finds a file without a row`() throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 1)
        #expect(try cache.makeStorage(isOpened: false).cachedValue(forKey: "0")?.value == .blob(0))
    }

    @Test func `a store that must not overwrite respects a blob whose index was deleted meanwhile`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(0), forKey: "0")
            cache.settle()
            try FileManager.default.removeItem(at: cache.metadata)
            #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(9), forKey: "0", writeOptions: .withoutOverwriting)
            }
            #expect(try cache.storage.value(forKey: "0") == .blob(0))
        }
    }

    @Test(arguments: ["totalSize", "usage", "entries", "removeExpiredValues", "removeAll"])
    func `the first call of a storage, whatever it is, respects files without rows`(call: String) throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 3)
        let storage = cache.makeStorage(isOpened: false)
        switch call {
        case "totalSize": #expect(try storage.totalSize() == 300)
        case "usage": #expect(try storage.usage().total == Totals(entries: 3, bytes: 300))
        case "entries": #expect(try storage.entries(matching: .all).entries.count == 3)
        case "removeExpiredValues": #expect(try storage.removeExpiredValues() == [])
        default: try storage.removeAll()
        }
        #expect(try storage.totalSize() == (call == "removeAll" ? 0 : 300))
    }

    @Test func `an eviction counts all files after another program has deleted the index`() throws {
        try withCache(configure: { $0.sizeLimit = 200 }) { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            try FileManager.default.removeItem(at: cache.metadata)
            #expect(try cache.storage.removeSizeExceededValues().count == 2)
        }
    }

    @Test func `the size is that of all files after another program has deleted the index`() throws {
        try withCache { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            try FileManager.default.removeItem(at: cache.metadata)
            #expect(try cache.storage.totalSize() == 300)
        }
    }

    @Test func `a clear removes adopted files even if nothing was ever stored`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 5)
            #expect(try cache.storage.totalSize() == 500)
            cache.settle()
            try cache.storage.removeAll()
            #expect(try cache.storage.totalSize() == 0)
            #expect(!cache.storage.isCached(forKey: "1"))
        }
    }

    @Test func `files that are not blobs are left alone`() throws {
        try withCache { cache in
            let folder = try kingfisherFolder(cache, count: 2)
            let foreign = ["README", "0123.png", String(repeating: "A", count: 64)]
            for name in foreign { try Data([1]).write(to: folder.appendingPathComponent(name)) }
            #expect(try cache.storage.totalSize() == 200)
            try cache.storage.removeAll()
            for name in foreign {
                #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path))
            }
            #expect(try cache.storage.check().foreignFiles.sorted() == foreign.sorted())
        }
    }

    @Test func `unhashed files are adopted under their own names`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data.blob(1).write(to: folder.appendingPathComponent("cat.png"))
            #expect(try cache.storage.value(forKey: "cat", forcedExtension: "png") == .blob(1))
            #expect(try cache.storage.totalSize() == 100)
        }
    }

    @Test func `a lookup before the adoption records key and access`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 2)
            cache.fileSystem.fail(.list, EIO, times: nil)
            let asked = cache.clock.now
            #expect(try cache.storage.value(forKey: "1") == .blob(1))
            cache.settle()
            cache.reopen()
            let entry = try #require(try cache.storage.row(forKey: "1"))
            #expect(entry.key == "1" && entry.accessedAt >= asked)
            cache.fileSystem.heal()
            cache.reopen()
            #expect(try cache.storage.totalSize() == 200)
        }
    }

    @Test func `a failed store over a file without a row does not move the time of the latest store back`() throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 1)
        cache.fileSystem.fail(.list, EIO, times: nil)
        cache.clock.advance(by: 3_600)
        try cache.storage.store(value: .blob(5), forKey: "other")
        func storedAt() throws -> Timestamp { try cache.storage.store.index.read { try $0.state().storedAt } }
        let latest = try storedAt()
        cache.refuseCommits(after: 1)
        #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(9), forKey: "0") }
        #expect(try storedAt() >= latest)
    }

    @Test func `a copy of a folder that was not fully adopted loses nothing`() throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 5)
        cache.fileSystem.fail(.list, EIO, times: nil)
        #expect(cache.storage.isCached(forKey: "3"))
        cache.settle()
        cache.storage.store.close()
        cache.fileSystem.heal()
        let copy = cache.folder.url.appendingPathComponent("copy")
        try FileManager.default.copyItem(at: cache.directory, to: copy)
        // Copying many files takes time too.
        Thread.sleep(forTimeInterval: 0.05)
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.path) where name != ".halcyon" {
            let file = copy.appendingPathComponent(name)
            let bytes = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            try bytes.write(to: file)
        }
        var config = cache.config
        config.cachePathBlock = { _, _ in copy }
        let storage = DiskStorage.Backend<Data>(
            noThrowConfig: config, creatingDirectory: true, environment: cache.environment)
        #expect(try storage.totalSize() == 500)
        for seed in 0..<5 { #expect(try storage.value(forKey: "\(seed)") == .blob(seed)) }
        storage.store.close()
    }

    /// As the start script of a container does with `chmod -R`.
    @Test(arguments: [false, true], ["first", "second"])
    func `files whose mode is changed before they become entries are not lost`(isRebuilt: Bool, boot: String) throws {
        let cache = try CacheFixture()
        cache.environment.boot = { "first" }
        if isRebuilt {
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.clock.advance(by: 600)
            try cache.storage.store(value: .blob(5), forKey: "5")
            try cache.storage.remove(forKey: "5")
            cache.storage.store.close()
            try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        } else {
            _ = try kingfisherFolder(cache, count: 5)
        }
        cache.fileSystem.fail(.list, EIO, times: nil)
        cache.reopen { $0.boot = { "first" } }
        #expect(cache.storage.isCached(forKey: "3"))
        cache.settle()
        try cache.changeModes()
        cache.fileSystem.heal()
        cache.reopen { $0.boot = { boot } }
        cache.settle()
        // After a reboot, only the former index tells that the files are complete.
        let count = boot == "first" || isRebuilt ? 5 : 0
        #expect(try cache.storage.totals().entries == Int64(count))
        for seed in 0..<count { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
    }

    @Test(arguments: [16, 17]) func `files that cannot be examined do not stop the adoption of the others`(count: Int)
        throws
    {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 60)
            for seed in 0..<count {
                let name = BlobName(key: "\(seed)", isHashed: true, pathExtension: nil).text
                cache.fileSystem.fail(.status, EIO, times: nil, path: name)
            }
            let isStopped = count > 16
            #expect((try? cache.storage.totals().entries) == (isStopped ? nil : 44))
            cache.fileSystem.heal()
            // With so many, the cause is the volume, and they are adopted when it works again.
            #expect(try cache.storage.totals().entries == (isStopped ? 60 : 44))
            if !isStopped { _ = try cache.storage.check(repair: true) }
        }
    }

    // MARK: Watching

    @Test func `files added during the count are counted too`() throws {
        var tuning = Tuning.patient
        tuning.adoptionBatchSize = 8
        tuning.adoptionChunk = 8
        try withCache(tuning: tuning) { cache in
            let folder = try kingfisherFolder(cache, count: 20)
            let lists = Locked(0)
            cache.fileSystem.observe { call, path in
                // The first listing is the count.
                guard call == .list, path == folder.path,
                    lists.withLock({
                        $0 += 1
                        return $0
                    }) == 2
                else { return }
                for seed in 20..<90 {
                    let name = BlobName(key: "\(seed)", isHashed: true, pathExtension: nil).text
                    try? Data.blob(seed).write(to: folder.appendingPathComponent(name))
                }
            }
            let seen = Locked<[AdoptionProgress]>([])
            cache.storage.store.adopter.listeners.add { progress in
                if let progress { seen.withLock { $0.append(progress) } }
            }
            #expect(try cache.storage.totalSize() > 0)
            let progress = seen.withLock { $0 }
            #expect(!progress.contains { $0.files > $0.total } && progress.last?.files == progress.last?.total)
            #expect((progress.last?.total ?? 0) > 20)
            cache.fileSystem.observe(nil)
            // Files created after the index belong to no entry.
            _ = try cache.storage.check(repair: true)
        }
    }

    /// Whether the stream ends within a minute.
    private func ends(_ stream: AsyncStream<AdoptionProgress>) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stream {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Opens the storage and stops its sweep when it lists `staging/`, until `meanwhile` has returned.
    private func watch(
        _ cache: CacheFixture, meanwhile: (DiskStorage.Backend<Data>) throws -> Void
    ) throws -> AsyncStream<AdoptionProgress> {
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Locked(true)
        cache.fileSystem.observe { call, path in
            guard call == .list, path.hasSuffix("/staging"), isHeld.withLock({ $0 }) else { return }
            gate.wait()
            isHeld.withLock { $0 = false }
        }
        let stream = cache.storage.adoptionProgress
        defer { gate.signal() }
        try meanwhile(cache.storage)
        return stream
    }

    @Test func `the progress of an adoption ends if everything is removed before it begins`() async throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 3)
        let stream = try watch(cache) { try $0.removeAll() }
        #expect(await ends(stream))
    }

    @Test func `the progress of an adoption ends when the storage is released`() async throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 3)
        cache.fileSystem.fail(.list, EIO, times: nil)
        var storage: DiskStorage.Backend<Data>? = cache.makeStorage()
        storage?.store.housekeepingWait()
        let stream = storage?.adoptionProgress
        storage = nil
        #expect(await ends(try #require(stream)))
    }

    @Test func `watching ends when the storage is suspended, closed, or its index is locked`() async throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 3)
        cache.fileSystem.fail(.list, EIO, times: nil)
        let closed = cache.storage.adoptionProgress
        cache.storage.store.close()
        #expect(await ends(closed))
        let suspended = cache.storage.adoptionProgress
        cache.storage.suspend()
        #expect(await ends(suspended))
        #expect(await ends(cache.storage.adoptionProgress))
        cache.storage.resume()
        #expect(await ends(cache.storage.adoptionProgress))
    }

    @Test func `watching goes on while another process holds the lock`() async throws {
        var tuning = Tuning.patient
        tuning.briefTimeout = 50
        let cache = try CacheFixture(tuning: tuning)
        _ = try kingfisherFolder(cache, count: 3)
        let listener = Locked<[Bool]>([])
        let stream = try watch(cache) { storage in
            storage.store.adopter.listeners.add { progress in listener.withLock { $0.append(progress == nil) } }
            let other = try Connection(path: cache.index.path)
            try other.execute("BEGIN IMMEDIATE")
            let listings = cache.fileSystem.calls(of: .list)
            #expect(throws: SQLiteError.self) { try LockTimeout.briefly { try storage.store.adopter.finish() } }
            #expect(cache.fileSystem.calls(of: .list) == listings, "it lists a directory only when it can adopt")
            #expect(listener.withLock { !$0.contains(true) })
            other.rollBack()
        }
        #expect(await ends(stream))
        #expect(try cache.storage.totals().entries == 3)
    }

    @Test func `a consumer that stops reading progress does not end the other streams`() async throws {
        let cache = try CacheFixture()
        _ = try kingfisherFolder(cache, count: 300)
        let streams = (0..<3).map { _ in cache.storage.adoptionProgress }
        let task = Task { for await _ in streams[0] {} }
        task.cancel()
        #expect(await ends(streams[1]))
        #expect(await ends(streams[2]))
        #expect(try cache.storage.totalSize() == 30_000)
    }

    @Test func `a file that cannot be adopted at the moment is read once by a lookup with its entry`() throws {
        try withCache { cache in
            _ = try cache.storage.totalSize()
            cache.settle()
            try cache.beginAdoption()
            let name = BlobName(key: "a", isHashed: true, pathExtension: nil).text
            try Data.blob(1).write(to: cache.directory.appendingPathComponent(name))
            cache.refuseCommits(times: 1_000)
            let reads = Locked(0)
            cache.fileSystem.observe { call, path in
                if call == .openForReading, path.hasSuffix(name) { reads.withLock { $0 += 1 } }
            }
            #expect(try cache.storage.cachedValue(forKey: "a") == nil)
            #expect(reads.withLock { $0 } == 1)
            cache.fileSystem.observe(nil)
            cache.refuseCommits(times: 0)
            #expect(try cache.storage.cachedValue(forKey: "a")?.value == .blob(1))
        }
    }

    @Test func `a file that cannot be examined once is adopted with the others`() throws {
        try withCache { cache in
            _ = try kingfisherFolder(cache, count: 3)
            cache.fileSystem.fail(.status, EIO, path: BlobName(key: "1", isHashed: true, pathExtension: nil).text)
            #expect(try cache.storage.totals().entries == 3)
        }
    }

    @Test func `an index that is deleted after the last file was adopted adopts all files again`() throws {
        let (cache, isDone) = (try CacheFixture(), Locked(false))
        // `cache.index` would open the folder.
        let path = try kingfisherFolder(cache, count: 3).appendingPathComponent(".halcyon/index.sqlite").path
        cache.environment.pause = { _ in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { for suffix in ["-wal", "-shm", ""] { unlink(path + suffix) } }
        }
        let storage = cache.makeStorage(isOpened: false)
        // The sweep would adopt the files beside this thread.
        let mayBegin = DispatchSemaphore(value: 0)
        storage.store.housekeeping.sweeps.async { mayBegin.wait() }
        #expect(try storage.totals().entries == 3)
        mayBegin.signal()
        #expect(isDone.withLock { $0 })
        for seed in 0..<3 { #expect(try storage.value(forKey: "\(seed)") == .blob(seed)) }
        storage.close()
        try cache.requireClean()
    }

    @Test func `files of a folder that is copied during an adoption are adopted`() throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            for (seed, key) in ["a", "b"].enumerated() { try cache.storage.store(value: .blob(seed), forKey: key) }
            cache.clock.advance(by: 3_600)
            cache.settle()
            let name = cache.storage.blobName(forKey: "b", forcedExtension: nil)
            try cache.storage.store.index.write { session in
                try session.delete(id: name.rowID)
                var state = try session.state()
                (state.adoption, state.adoptsUntil) = (.pending, Timestamp(Date()))
                try session.setState(state)
            }
            let directory = cache.directory
            cache.storage.store.close()
            // The clock of change times has coarse ticks.
            usleep(50_000)
            let copy = cache.folder.url.appendingPathComponent("copy")
            try FileManager.default.copyItem(at: directory, to: copy)
            try FileManager.default.moveItem(at: directory, to: cache.folder.url.appendingPathComponent("former"))
            try FileManager.default.moveItem(at: copy, to: directory)
            cache.reopen { $0.boot = { "second" } }
            #expect(try cache.storage.totals().entries == 2)
            for (seed, key) in ["a", "b"].enumerated() { #expect(try cache.storage.value(forKey: key) == .blob(seed)) }
        }
    }

    @Test func `a folder with the name of a blob does not become an entry`() throws {
        try withCache { cache in
            let name = BlobName(key: "a", isHashed: true, pathExtension: nil).text
            let folder = cache.directory.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(try cache.storage.totals().entries == 0)
        }
    }
}
