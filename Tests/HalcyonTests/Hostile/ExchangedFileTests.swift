import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Another program exchanges a file between the check and its opening, renaming or unlinking.
@Suite(.endsEvenIfItHangs) struct ExchangedFileTests {
    /// An operation, and the call before which the blob is exchanged.
    enum Step: String, CaseIterable {
        case lookAt, open, exchange, renameOver, linkAside, trash, evict, expire, removeAll, settle, repair

        var call: FaultyFileSystem.Call {
            switch self {
            case .lookAt: .status
            case .open: .openForReading
            case .exchange: .exchange
            case .linkAside: .link
            case .renameOver, .trash, .evict, .expire, .removeAll, .settle, .repair: .rename
            }
        }

        /// The end or a part of the path in that call.
        func isMeant(_ path: String, blob: URL) -> Bool {
            switch self {
            case .lookAt, .open, .exchange, .renameOver, .settle, .repair: path == blob.path
            case .linkAside, .trash, .evict, .expire, .removeAll: path.contains("/trash/")
            }
        }

        func perform(on cache: CacheFixture) throws {
            switch self {
            case .lookAt: _ = cache.storage.isCached(forKey: "a")
            case .open: _ = try cache.storage.value(forKey: "a")
            case .exchange, .renameOver, .linkAside: try cache.storage.store(value: .blob(2), forKey: "a")
            case .trash: try cache.storage.remove(forKey: "a")
            case .evict: _ = try cache.storage.removeSizeExceededValues()
            case .expire: _ = try cache.storage.removeExpiredValues()
            case .removeAll: try cache.storage.removeAll()
            case .settle:
                _ = try cache.storage.store.settler.settleInTransaction(
                    cache.storage.blobName(forKey: "a", forcedExtension: nil))
            case .repair: _ = try cache.storage.check(repair: true)
            }
        }

        /// Steps that first put a blob back need one in the trash.
        var findsBlobInTrash: Bool { self == .settle || self == .repair }
        var hasNoExchange: Bool { self == .renameOver || self == .linkAside }
    }

    static let things: [PlantedThing] = [.linkToFile, .linkToFolder, .danglingLink, .hardLink, .pipe, .filledFolder]

    @Test(arguments: Step.allCases, things)
    func `a file that is exchanged between check and use exposes nothing outside, and service resumes`(
        step: Step, thing: PlantedThing
    ) throws {
        let cache = try CacheFixture(configure: { $0.sizeLimit = 1 })
        let canary = try Canary(in: cache.folder.url)
        try cache.storage.store(value: .blob(1), forKey: "a", expiration: .days(1))
        cache.settle()
        let blob = cache.storage.cacheFileURL(forKey: "a")
        if step.findsBlobInTrash { try moveToTrash(blob, in: cache) }
        if step.hasNoExchange { cache.fileSystem.fail(.exchange, EINVAL, times: nil) }
        if step == .expire { cache.clock.advance(by: 2 * 86_400) }

        let exchanges = Locked(0)
        cache.fileSystem.observe { call, path in
            guard call == step.call, step.isMeant(path, blob: blob) else { return }
            let isFirst = exchanges.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { _ = try? thing.plant(at: blob, canary) }
        }
        do {
            try step.perform(on: cache)
        } catch {
            #expect(error is KingfisherError || error is CacheStorageError, "\(error)")
        }
        cache.fileSystem.observe(nil)
        #expect(exchanges.withLock { $0 } > 0, "the step was taken")
        cache.settle()

        let shared: Set<String> = thing.sharesAFile ? ["precious"] : []
        try canary.requireUntouched(exceptReads: shared, "\(step), \(thing)")
        try canary.requireNothingNew("\(step), \(thing)")
        #expect([nil, .blob(1), .blob(2)].contains(try? cache.storage.value(forKey: "a")))
        try? FileManager.default.removeItem(at: blob)
        try cache.storage.store(value: .blob(3), forKey: "a")
        #expect(try cache.storage.value(forKey: "a") == .blob(3))
        cache.settle()
        _ = try cache.storage.check(repair: true)
        try clearTrash(in: cache)
        try cache.requireClean()
    }

    /// As a crash between rename and commit leaves it.
    private func moveToTrash(_ blob: URL, in cache: CacheFixture) throws {
        let row = try #require(try cache.storage.store.index.read { try $0.page(after: .min, limit: 1).first })
        let trashed = cache.metadata.appendingPathComponent("trash/\(row.id).\(row.token)")
        try FileManager.default.moveItem(at: blob, to: trashed)
    }

    /// A non-empty folder was moved there with its contents, and only the user may empty it.
    private func clearTrash(in cache: CacheFixture) throws {
        for name in cache.names(in: "trash") + cache.names(in: "staging") {
            for place in ["trash", "staging"] {
                try? FileManager.default.removeItem(at: cache.metadata.appendingPathComponent("\(place)/\(name)"))
            }
        }
    }

    @Test(arguments: [DetachedBlob.Place.staging, .trash])
    func `a link that replaces the cache's own folder while it is open is not followed`(place: DetachedBlob.Place)
        throws
    {
        try withCache(configure: { $0.sizeLimit = 1 }) { cache in
            let canary = try Canary(in: cache.folder.url)
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let folder = cache.metadata.appendingPathComponent(place.rawValue)
            try FileManager.default.removeItem(at: folder)
            let outside = canary.root.appendingPathComponent(place.rawValue)
            try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: outside)
            if place == .staging {
                #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            } else {
                #expect(throws: KingfisherError.self) { try cache.storage.remove(forKey: "a") }
                #expect(throws: KingfisherError.self) { try cache.storage.removeSizeExceededValues() }
            }
            #expect(try cache.storage.value(forKey: "a") == .blob(1), "what was there is there")
            try canary.requireUntouched("\(place)")
            try canary.requireNothingNew("\(place)")
            try FileManager.default.removeItem(at: folder)
            try cache.storage.store(value: .blob(3), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(3))
        }
    }

    @Test func `a file that is cut while it is read is a miss`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let path = cache.storage.cacheFileURL(forKey: "a").path
            cache.fileSystem.observe { call, _ in if call == .read { truncate(path, 50) } }
            #expect(try cache.storage.value(forKey: "a") == nil)
            cache.fileSystem.observe(nil)
            cache.settle()
        }
    }

    @Test func `a file of the same length with a later date is not a copy`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let url = cache.storage.cacheFileURL(forKey: "a")
            // Keeps the inode number in use.
            let hold = try FileHandle(forReadingFrom: url)
            try Data.blob(2).write(to: url, options: .atomic)
            // Whole seconds, as Kingfisher writes.
            let date = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 86_400).rounded())
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
            for _ in 0..<2 {
                #expect(try cache.storage.value(forKey: "a") == nil)
                cache.settle()
            }
            try hold.close()
        }
    }
}
