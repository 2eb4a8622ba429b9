import Foundation
import Halcyon
import Testing

/// The results of calls. The switches have no default, because a new case would break apps.
@Suite struct ResultTests {
    @Test func `a cache type is none, memory or disk`() {
        func name(of type: CacheType) -> String {
            switch type {
            case .none: "none"
            case .memory: "memory"
            case .disk: "disk"
            }
        }
        let all: [CacheType] = [.none, .memory, .disk]
        #expect(all.map(name) == ["none", "memory", "disk"] && all.map(\.cached) == [false, true, true])
        #expect(Set(all).count == 3)
    }

    @Test func `the result of a load is an image from memory, an image from disk, or none`() throws {
        func name(of result: ImageCacheResult) -> String {
            switch result {
            case .disk(let image): "disk \(image.width)"
            case .memory(let image): "memory \(image.width)"
            case .none: "none"
            }
        }
        let all: [ImageCacheResult] = [.disk(try Pictures.image()), .memory(try Pictures.image(width: 2)), .none]
        #expect(all.map(name) == ["disk 1", "memory 2", "none"])
        #expect(all.map(\.cacheType) == [.disk, .memory, .none] && all.map { $0.image?.width } == [1, 2, nil])
    }

    @Test func `the result of a store covers memory and disk`() async throws {
        try await withCache { cache in
            let image = try Pictures.image()
            let result: CacheStoreResult = await handled { done in
                cache.store(image, forKey: "a", cacheSerializer: RefusingSerializer()) { done($0) }
            }
            let memory: Result<(), Never> = result.memoryCacheResult
            let disk: Result<(), KingfisherError> = result.diskCacheResult
            // A store in memory cannot fail: the switch has no other case.
            switch memory {
            case .success: break
            }
            #expect(throws: KingfisherError.self) { try disk.get() }
        }
    }

    @Test func `a clean posts the names of the removed files once it has ended`() async throws {
        try await withCache { cache in
            try await cache.storeToDisk(Data([1]), forKey: "a", expiration: .seconds(0.02))
            let name = cache.hash(forKey: "a")
            while cache.diskStorage.isCached(forKey: "a") { await Task.yield() }
            let notes = Notes<[String]>()
            let observer = NotificationCenter.default.addObserver(
                forName: .KingfisherDidCleanDiskCache, object: cache, queue: nil
            ) { notification in
                notes.note(notification.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String] ?? [])
            }
            await done { done in cache.cleanExpiredDiskCache { done() } }
            NotificationCenter.default.removeObserver(observer)
            #expect(notes.values == [[name]])
            #expect(
                Notification.Name.KingfisherDidCleanDiskCache.rawValue
                    == "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
            #expect(KingfisherDiskCacheCleanedHashKey == "com.onevcat.Kingfisher.cleanedHash")
        }
    }
}

@Suite struct ResourceTests {
    @Test func `a URL is its own download URL and cache key`() throws {
        let url = try #require(URL(string: "https://example.com/a.png?signature=1"))
        let resource: Resource = url
        #expect(resource.cacheKey == url.absoluteString && resource.downloadURL == url)
        let file = URL(fileURLWithPath: "/var/1234/Some.app/a.png")
        #expect(file.cacheKey == "kingfisher.local.cacheKey/Some.app/a.png")
    }

    @Test func `a URL can be given a different cache key`() throws {
        let url = try #require(URL(string: "https://example.com/a.png?signature=1"))
        let resource = KF.ImageResource(downloadURL: url, cacheKey: "a")
        #expect(resource.cacheKey == "a" && resource.downloadURL == url)
        #expect(KF.ImageResource(downloadURL: url).cacheKey == url.cacheKey)
    }

    @Test func `an app's own resource decides on its cache key`() throws {
        let url = try #require(URL(string: "https://example.com/a.png?signature=1"))
        let resource: Resource = SignedPicture(downloadURL: url)
        #expect(resource.cacheKey == "/a.png" && resource.downloadURL == url)
    }
}
