import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A file that the cache refuses is named in the error, with a remedy.
@Suite(.endsEvenIfItHangs) struct RefusedFileTests {
    private static let places: [PlantedPlace] = [.index, .log, .sharedMemory, .journal]

    @Test(arguments: places, [PlantedThing.linkToFile, .hardLink, .pipe, .filledFolder])
    func `a foreign file in place of the index is named in the error, and moving it away is enough`(
        place: PlantedPlace, thing: PlantedThing
    ) throws {
        try withCache { cache in
            let canary = try Canary(in: cache.folder.url)
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            cache.storage.store.close()
            let url = place.url(blob: cache.storage.cacheFileURL(forKey: "a"), detached: "")
            let aside = try? Data(contentsOf: url)
            #expect(try thing.plant(at: url, canary))
            let error = #expect(throws: KingfisherError.self) { try DiskStorage.Backend<Data>(config: cache.config) }
            #expect("\(try #require(error))".contains(url.lastPathComponent))
            let remedy = thing == .hardLink ? "Delete the other link" : "Move it out"
            #expect("\(try #require(error))".contains(remedy))
            try canary.requireUntouched(exceptReads: ["index.sqlite"], "\(place), \(thing)")
            try FileManager.default.removeItem(at: url)
            try aside?.write(to: url)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    /// As after `cp -al` of the whole folder: a write to one would change the other.
    @Test func `an index with a second name elsewhere is not written into`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            cache.storage.store.close()
            let snapshot = cache.folder.url.appendingPathComponent("snapshot.sqlite")
            try FileManager.default.linkItem(at: cache.index, to: snapshot)
            let before = try Data(contentsOf: snapshot)
            cache.reopen()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "b") }
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(try Data(contentsOf: snapshot) == before)
            try FileManager.default.removeItem(at: snapshot)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a link in place of the cache's own folder is refused, and its target is left alone`() throws {
        let cache = try CacheFixture()
        let canary = try Canary(in: cache.folder.url)
        let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(try PlantedThing.linkToFolder.plant(at: folder.appendingPathComponent(".halcyon"), canary))
        cache.clock.advance(by: 3_600)
        #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(1), forKey: "a") }
        try canary.requireUntouched("a link as .halcyon")
        try canary.requireNothingNew("a link as .halcyon")
    }

    @Test func `a storage that could not be opened works once the obstacle is gone`() throws {
        try withCache { cache in
            let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
            try Data([1]).write(to: folder)
            let error = #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(1), forKey: "a")
            }
            #expect(error?.errorCode == 3011)
            try FileManager.default.removeItem(at: folder)
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a store over a foreign file succeeds even if the volume's clock is behind`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            // The staged file looks as if a crash had left it an hour ago.
            cache.fileSystem.age(by: 3_600)
            try Data.blob(9).write(to: cache.storage.cacheFileURL(forKey: "a"), options: .atomic)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test(arguments: DetachedBlob.Place.allCases)
    func `a folder in staging or trash does not stop the sweep of other files`(place: DetachedBlob.Place) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let folder = cache.metadata.appendingPathComponent(place.rawValue)
            let filled = folder.appendingPathComponent("5.5/precious")
            try FileManager.default.createDirectory(at: filled, withIntermediateDirectories: true)
            for number in 10..<20 { try Data.blob(1).write(to: folder.appendingPathComponent("\(number).7")) }
            cache.fileSystem.age(by: 3_600)
            cache.reopen()
            try cache.storage.open()
            cache.settle()
            #expect(cache.names(in: place.rawValue) == ["5.5"])
            #expect(FileManager.default.fileExists(atPath: filled.path))
            _ = try cache.storage.check(repair: true)
            try FileManager.default.removeItem(at: filled.deletingLastPathComponent())
        }
    }
}
