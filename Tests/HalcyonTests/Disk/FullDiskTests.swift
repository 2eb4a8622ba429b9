#if os(Linux)
    import Foundation
    import Glibc
    import HalcyonSQLite
    import HalcyonTestSupport
    import Testing

    @_spi(HalcyonTool) @testable import Halcyon

    /// A full volume: a small one in memory, if this user may mount one.
    @Suite struct FullDiskTests {
        /// A volume of a few hundred kilobytes, unmounted when this is released.
        private final class TinyVolume {
            let url: URL
            private let folder: TemporaryFolder

            /// nil if mounting is not allowed.
            init?(kilobytes: Int) throws {
                folder = try TemporaryFolder()
                url = folder.url.appendingPathComponent("volume")
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                guard mount("tmpfs", url.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { return nil }
            }

            deinit { umount2(url.path, Int32(MNT_DETACH)) }
        }

        private func storage(
            on volume: TinyVolume, sizeLimit: UInt = 0, clock: ManualClock? = nil
        ) -> DiskStorage.Backend<Data> {
            var environment = StorageEnvironment()
            if let clock { environment.now = { clock.now } }
            environment.isShared = false
            return DiskStorage.Backend(
                noThrowConfig: .init(name: "full", sizeLimit: sizeLimit, directory: volume.url),
                creatingDirectory: true, environment: environment)
        }

        /// Stores until the volume is full.
        /// - Returns: the number of stores, and the error of the next one.
        private func fill(_ storage: DiskStorage.Backend<Data>) throws -> (stored: Int, error: KingfisherError) {
            for seed in 0..<10_000 {
                do {
                    try storage.store(value: .blob(seed, count: 8_000), forKey: "\(seed)")
                } catch let error as KingfisherError {
                    return (seed, error)
                }
            }
            throw CancellationError()
        }

        @Test func `on a full disk stores throw, loads work, evictions make room, and nothing is damaged`() throws {
            guard let volume = try TinyVolume(kilobytes: 3_000) else { return }
            let storage = storage(on: volume)
            let (stored, error) = try fill(storage)
            guard case .cacheError(.cannotCreateCacheFile(_, _, _, let cause as CacheStorageError)) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(cause.code == .diskFull && stored > 50)
            for seed in 0..<stored { #expect(try storage.value(forKey: "\(seed)") == .blob(seed, count: 8_000)) }
            // The old value stays if it cannot be replaced.
            if (try? storage.store(value: .blob(1, count: 50_000), forKey: "0")) == nil {
                #expect(try storage.value(forKey: "0") == .blob(0, count: 8_000))
            }
            try storage.remove(forKey: "3")
            #expect(try storage.value(forKey: "3") == nil && !storage.isCached(forKey: "3"))
            storage.config.sizeLimit = try storage.totalSize()
            let evicted = try storage.removeSizeExceededValues()
            #expect(evicted.count >= stored / 2 - 1)
            try storage.store(value: .blob(7, count: 8_000), forKey: "new")
            #expect(try storage.value(forKey: "new") == .blob(7, count: 8_000))
            storage.store.housekeepingWait()
            #expect(try storage.check().isClean)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: storage.directoryURL.appendingPathComponent(".halcyon").path)
            #expect(!names.contains { $0.contains("damaged") })
            storage.store.close()
        }

        /// Small values fill a small volume with the log of the index.
        @Test func `the log is begun anew when it fills the volume`() throws {
            guard let volume = try TinyVolume(kilobytes: 4_096) else { return }
            let storage = storage(on: volume, sizeLimit: 10_000)
            func storesUntilFull() -> Int {
                defer { storage.store.housekeepingWait() }
                return (0..<2_000).first {
                    (try? storage.store(value: .blob($0, count: 300), forKey: "\($0)")) == nil
                } ?? 2_000
            }
            for _ in 0..<3 {
                _ = storesUntilFull()
                _ = try storage.removeSizeExceededValues()
                storage.store.housekeepingWait()
            }
            // The log keeps its room, so the evicted blobs leave little. What is stored there adds nothing to the log.
            let stored = [storesUntilFull(), storesUntilFull()]
            #expect(stored.max() ?? 0 > 10, "\(stored)")
            storage.store.close()
        }

        @Test(arguments: [false, true])
        func `a removal is not undone if its commit and the way back out of the trash are refused`(byFilter: Bool)
            throws
        {
            let (cache, vfs) = (try CacheFixture(), FaultyVFS())
            cache.environment.vfs = vfs.name
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a", attributes: .init(tags: ["t"]))
            cache.settle()
            vfs.fail([.write: ResultCode.full.rawValue], times: nil)
            let name = storage.blobName(forKey: "a", forcedExtension: nil)
            cache.fileSystem.fail(.rename, ENOSPC, times: nil, path: "/" + name.text)
            if byFilter {
                _ = try? storage.removeEntries(matching: .init(tag: "t"))
            } else {
                try storage.remove(forKey: "a")
            }
            #expect(try storage.value(forKey: "a") == nil)
            vfs.heal()
            cache.fileSystem.heal()
            #expect(try storage.value(forKey: "a") == nil)
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.value(forKey: "a") == nil)
            try cache.requireClean()
        }

        /// Even the time of a removal cannot be committed.
        @Test(arguments: [false, true]) func `a removal of many frees a volume that is full to the last byte`(
            byFilter: Bool
        ) throws {
            guard let volume = try TinyVolume(kilobytes: 3_000) else { return }
            let first = storage(on: volume)
            for seed in 0..<100 {
                let attributes = DiskStorage.EntryAttributes(tags: seed < 50 ? ["user"] : [])
                try first.store(value: .blob(seed, count: 8_000), forKey: "\(seed)", attributes: attributes)
            }
            // Without a log, each commit needs room.
            first.store.close()
            let full = storage(on: volume)
            try fillToTheLastByte(volume)
            if byFilter {
                #expect(try full.removeEntries(matching: .init(tag: "user")).count == 50)
            } else {
                try full.removeAll()
            }
            for seed in 0..<100 {
                #expect(full.isCached(forKey: "\(seed)") == (byFilter && seed >= 50))
            }
            #expect(try full.totalSize() == (byFilter ? 50 * 8_000 : 0))
            try full.store(value: .blob(7, count: 8_000), forKey: "new")
            full.store.housekeepingWait()
            #expect(try full.check().isClean)
            full.store.close()
        }

        @Test func `on a full volume a removal takes only what its filter selects`() throws {
            guard let volume = try TinyVolume(kilobytes: 3_000) else { return }
            let clock = ManualClock()
            let first = storage(on: volume, clock: clock)
            for seed in 0..<20 { try first.store(value: .blob(seed, count: 8_000), forKey: "\(seed)") }
            first.store.close()
            let full = storage(on: volume, clock: clock)
            clock.advance(by: 10)
            let date = clock.now.date
            clock.advance(by: 10)
            // The reads are not in the index yet.
            for seed in 0..<10 { _ = try full.value(forKey: "\(seed)") }
            try fillToTheLastByte(volume)
            #expect(throws: KingfisherError.self) { try full.removeEntries(matching: .init(keyPrefix: "")) }
            for seed in 0..<20 { #expect(full.isCached(forKey: "\(seed)")) }
            var filter = DiskStorage.EntryFilter()
            filter.accessedBefore = date
            _ = try full.removeEntries(matching: filter)
            for seed in 0..<20 { #expect(full.isCached(forKey: "\(seed)") == (seed < 10), "\(seed)") }
            full.store.housekeepingWait()
            #expect(try full.check().isClean)
            full.store.close()
        }

        private func fillToTheLastByte(_ volume: TinyVolume) throws {
            let filler = open(volume.url.appendingPathComponent("filler").path, O_WRONLY | O_CREAT, 0o600)
            let page = [UInt8](repeating: 1, count: 4096)
            while write(filler, page, page.count) > 0 {}
            close(filler)
        }

        @Test func `an upgrade on a full volume completes or changes nothing, and keeps the blobs`() throws {
            guard let volume = try TinyVolume(kilobytes: 2_000) else { return }
            let first = storage(on: volume)
            for seed in 0..<20 { try first.store(value: .blob(seed), forKey: "\(seed)") }
            first.store.close()
            let index = first.directoryURL.appendingPathComponent(".halcyon/index.sqlite").path
            try OlderIndex.make(version: 1, at: index)
            try fillToTheLastByte(volume)
            let full = storage(on: volume)
            for seed in 0..<20 {
                let value = try full.value(forKey: "\(seed)")
                #expect(value == nil || value == .blob(seed))
            }
            full.store.close()
            try FileManager.default.removeItem(at: volume.url.appendingPathComponent("filler"))
            let last = storage(on: volume)
            for seed in 0..<20 { #expect(try last.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(try last.totalSize() == 2_000)
            last.store.housekeepingWait()
            #expect(try last.check().isClean)
            last.store.close()
        }
    }
#endif
