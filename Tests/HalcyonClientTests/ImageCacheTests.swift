import Foundation
import Halcyon
import Testing

@Suite struct ImageCacheMakingTests {
    @Test func `a cache can be created from two storages`() throws {
        let folder = try Folder()
        let memory = MemoryStorage.Backend<KFCrossPlatformImage>(config: .init(totalCostLimit: 0))
        let disk = try DiskStorage.Backend<Data>(config: .init(name: "a", sizeLimit: 0, directory: folder.url))
        let cache = ImageCache(memoryStorage: memory, diskStorage: disk)
        #expect(cache.memoryStorage === memory && cache.diskStorage === disk)
    }

    @Test func `a cache is created in a given folder, or where a closure puts it`() throws {
        let folder = try Folder()
        let plain = try ImageCache(name: "a", cacheDirectoryURL: folder.url)
        #expect(
            plain.diskStorage.directoryURL.path == folder.url.path + "/com.onevcat.Kingfisher.ImageCache.a")
        let closure: ImageCache.DiskCachePathClosure = { parent, name in parent.appendingPathComponent("x-\(name)") }
        let moved = try ImageCache(name: "a", cacheDirectoryURL: folder.url, diskCachePathClosure: closure)
        #expect(
            moved.diskStorage.directoryURL.path == folder.url.path + "/x-com.onevcat.Kingfisher.ImageCache.a")
        let trailing = try ImageCache(name: "a", cacheDirectoryURL: folder.url) { parent, _ in
            parent.appendingPathComponent("y")
        }
        #expect(trailing.diskStorage.directoryURL.path == folder.url.path + "/y")
    }

    @Test func `the initializer throws for an empty name`() throws {
        let error = #expect(throws: KingfisherError.self) { try ImageCache(name: "", cacheDirectoryURL: nil) }
        #expect(error?.errorCode == 3005)
    }

    #if os(Linux)
        @Test func `named caches and the default one are in the user's Caches folder`() async {
            // In its own process, because the folder is global. Its globals are not leaks.
            setenv("ASAN_OPTIONS", "detect_leaks=0", 1)
            await #expect(processExitsWith: .success) {
                let folder = try Folder()
                setenv("XDG_CACHE_HOME", folder.url.path, 1)
                let shared: ImageCache = .default
                #expect(shared === ImageCache.default && shared.diskStorage.config.name == "default")
                #expect(shared.cachePath(forKey: "a").hasPrefix(folder.url.path))
                #expect(ImageCache(name: "own").cachePath(forKey: "a").hasPrefix(folder.url.path))
            }
        }
    #endif
}

/// All functions with handlers: with all arguments, with the defaults, and with a trailing closure.
@Suite struct ImageCacheHandlerTests {
    private let parsed = KingfisherParsedOptionsInfo(nil)

    @Test func `a store calls back with its result`() async throws {
        try await withCache { cache in
            let image = try Pictures.image()
            let queue = MarkedQueue()
            let isThere = await handled { done in
                cache.store(
                    image, original: nil, forKey: "a", processorIdentifier: "p", forcedExtension: "png",
                    cacheSerializer: DefaultCacheSerializer.default, toDisk: true, callbackQueue: .dispatch(queue.queue)
                ) { result in
                    if case .success = result.memoryCacheResult, case .success = result.diskCacheResult {
                        done(queue.isCurrent)
                    } else {
                        done(false)
                    }
                }
            }
            #expect(isThere && cache.diskStorage.isCached(forKey: "a@p", forcedExtension: "png"))
            #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "p") == .memory)
        }
    }

    @Test func `a store with options calls back with its result`() async throws {
        try await withCache { cache in
            let data = try Pictures.data()
            let queue = MarkedQueue()
            var options = KingfisherParsedOptionsInfo([.processor(RoundedCorners(radius: 1))])
            options.callbackQueue = .dispatch(queue.queue)
            let image = try Pictures.image()
            let isThere = await handled { done in
                cache.store(image, original: data, forKey: "a", options: options, toDisk: true) { _ in
                    done(queue.isCurrent)
                }
            }
            let key = "a@com.example.rounded(1.0)"
            #expect(try isThere && cache.diskStorage.value(forKey: key) == data)
            // In memory only; the second call uses the default arguments.
            withoutWaiting { cache.store(image, forKey: "b", options: parsed, toDisk: false) }
            #expect(cache.memoryStorage.isCached(forKey: "b"))
            await done { done in cache.store(image, forKey: "c", options: options) { _ in done() } }
            #expect(!cache.diskStorage.isCached(forKey: "b"))
        }
    }

    @Test func `an image stored without a handler is in memory at once`() async throws {
        try await withCache { cache in
            try withoutWaiting {
                cache.store(try Pictures.image(width: 2), forKey: "a")
                cache.store(try Pictures.image(width: 3), original: Data(), forKey: "b", completionHandler: nil)
            }
            #expect(cache.retrieveImageInMemoryCache(forKey: "a")?.width == 2)
            #expect(cache.retrieveImageInMemoryCache(forKey: "b", options: [.backgroundDecode])?.width == 3)
            #expect(cache.retrieveImageInMemoryCache(forKey: "c", options: parsed) == nil)
            #expect(cache.memoryStorageCacheCost > 0)
        }
    }

    @Test func `data is stored on disk only`() async throws {
        try await withCache { cache in
            let data = try Pictures.data()
            withoutWaiting { cache.storeToDisk(data, forKey: "a") }
            let isStored = await handled { done in
                cache.storeToDisk(
                    data, forKey: "b", processorIdentifier: "p", forcedExtension: "png", expiration: .days(1),
                    callbackQueue: .untouch
                ) { result in
                    if case .success = result.diskCacheResult { done(true) } else { done(false) }
                }
            }
            #expect(isStored && !cache.memoryStorage.isCached(forKey: "b@p"))
            #expect(cache.imageCachedType(forKey: "a") == .disk)
            #expect(cache.imageCachedType(forKey: "b", processorIdentifier: "p", forcedExtension: "png") == .disk)
        }
    }

    @Test func `an image is found in memory, then on disk, then not at all`() async throws {
        try await withCache { cache in
            try await cache.store(Pictures.image(width: 3), forKey: "a")
            for expected in [CacheType.memory, .disk, .none] {
                let found = await handled { done in
                    cache.retrieveImage(forKey: "a") { done($0) }
                }
                #expect(try found.get().cacheType == expected)
                #expect(try found.get().image?.width == (expected.cached ? 3 : nil))
                if expected == .memory { cache.clearMemoryCache() } else { await cache.clearCache() }
            }
        }
    }

    @Test func `an image is found with options of both kinds, on the requested queue`() async throws {
        try await withCache { cache in
            try await cache.store(Pictures.image(width: 3), forKey: "a")
            cache.clearMemoryCache()
            let queue = MarkedQueue()
            let byList = await handled { done in
                cache.retrieveImage(
                    forKey: "a", options: [.fromMemoryCacheOrRefresh], callbackQueue: .dispatch(queue.queue)
                ) { result in done(queue.isCurrent && (try? result.get().cacheType) == CacheType.none) }
            }
            let parsed = KingfisherParsedOptionsInfo([.loadDiskFileSynchronously])
            let byStruct = await handled { done in
                cache.retrieveImage(forKey: "a", options: parsed, callbackQueue: .dispatch(queue.queue)) { result in
                    done(queue.isCurrent && (try? result.get().cacheType) == .disk)
                }
            }
            #expect(byList && byStruct)
            // A load without a handler does nothing.
            cache.retrieveImage(forKey: "a", options: parsed, completionHandler: nil)
            cache.retrieveImage(forKey: "a", options: nil, completionHandler: nil)
        }
    }

    @Test func `a load from disk only does not use memory`() async throws {
        try await withCache { cache in
            try await cache.storeToDisk(Pictures.data(width: 2), forKey: "a")
            let found: Result<KFCrossPlatformImage?, KingfisherError> = await handled { done in
                cache.retrieveImageInDiskCache(forKey: "a") { done($0) }
            }
            #expect(try found.get()?.width == 2 && !cache.memoryStorage.isCached(forKey: "a"))
            let queue = MarkedQueue()
            let isNothing = await handled { done in
                cache.retrieveImageInDiskCache(
                    forKey: "b", options: [.scaleFactor(2)], callbackQueue: .dispatch(queue.queue)
                ) { result in
                    if case .success(nil) = result { done(queue.isCurrent) } else { done(false) }
                }
            }
            #expect(isNothing)
        }
    }

    @Test func `a removal can be limited to memory or disk`() async throws {
        try await withCache { cache in
            try await cache.store(Pictures.image(), forKey: "a")
            try await cache.store(Pictures.image(), forKey: "b", processorIdentifier: "p")
            await done { done in
                cache.removeImage(
                    forKey: "b", processorIdentifier: "p", forcedExtension: nil, fromMemory: true, fromDisk: false,
                    callbackQueue: .untouch
                ) { done() }
            }
            #expect(cache.imageCachedType(forKey: "b", processorIdentifier: "p") == .disk)
            withoutWaiting { cache.removeImage(forKey: "a") }
            await done { done in cache.removeImage(forKey: "b", processorIdentifier: "p") { done() } }
            #expect(!cache.isCached(forKey: "a") && !cache.isCached(forKey: "b", processorIdentifier: "p"))
        }
    }

    @Test func `clearing and cleaning call back on the main queue`() async throws {
        try await withCache { cache in
            for start in [
                { cache.clearCache(completion: $0) }, { cache.clearDiskCache(completion: $0) },
                { cache.cleanExpiredCache(completion: $0) }, { cache.cleanExpiredDiskCache(completion: $0) },
            ] as [((@Sendable () -> Void)?) -> Void] {
                try await cache.store(Pictures.image(), forKey: "a", options: parsed)
                await done { done in start { MainActor.assumeIsolated { done() } } }
            }
            #expect(cache.isCached(forKey: "a"))
            withoutWaiting {
                cache.clearCache()
                #expect(!cache.memoryStorage.isCached(forKey: "a"))
                cache.clearMemoryCache()
                cache.clearDiskCache()
                cache.cleanExpiredCache()
                cache.cleanExpiredMemoryCache()
                cache.cleanExpiredDiskCache()
            }
            await done { done in cache.clearDiskCache { done() } }
            #expect(!cache.isCached(forKey: "a"))
        }
    }

    @Test func `a clean removes what has expired from memory and disk`() async throws {
        try await withCache { cache in
            let options = KingfisherParsedOptionsInfo([
                .memoryCacheExpiration(.seconds(0.02)), .diskCacheExpiration(.seconds(0.02)),
            ])
            try await cache.store(Pictures.image(), forKey: "a", options: options)
            while cache.isCached(forKey: "a") { await Task.yield() }
            await done { done in cache.cleanExpiredCache { done() } }
            let size = try await cache.diskStorageSize
            #expect(cache.memoryStorageCacheCost == 0 && size == 0)
        }
    }

    @Test func `a cache tells where an image is cached, and where its file is`() async throws {
        try await withCache { cache in
            try await cache.store(Pictures.image(), forKey: "a", processorIdentifier: "p", forcedExtension: "png")
            cache.clearMemoryCache()
            let type: CacheType = await handled { done in
                cache.imageCachedTypeAsync(
                    forKey: "a", processorIdentifier: "p", forcedExtension: "png", callbackQueue: .untouch
                ) { done($0) }
            }
            let missing: CacheType = await handled { done in cache.imageCachedTypeAsync(forKey: "b") { done($0) } }
            #expect(type == .disk && missing == .none)
            #expect(cache.isCached(forKey: "a", processorIdentifier: "p", forcedExtension: "png"))
            #expect(!cache.isCached(forKey: "a") && cache.imageCachedType(forKey: "a") == .none)

            let name = cache.hash(forKey: "a", processorIdentifier: "p", forcedExtension: "png")
            let path = cache.cachePath(forKey: "a", processorIdentifier: "p", forcedExtension: "png")
            #expect(name.hasSuffix(".png") && path.hasSuffix("/" + name))
            let url = cache.cacheFileURLIfOnDisk(forKey: "a", processorIdentifier: "p", forcedExtension: "png")
            #expect(url?.path == path && cache.cacheFileURLIfOnDisk(forKey: "a") == nil)
            #expect(cache.hash(forKey: "a").count == 64 && cache.cachePath(forKey: "a") != path)
        }
    }

    @Test func `the size on disk is reported on the main queue`() async throws {
        try await withCache { cache in
            try await cache.storeToDisk(Data(count: 123), forKey: "a")
            let size: Result<UInt, KingfisherError> = await handled { done in
                cache.calculateDiskStorageSize { result in MainActor.assumeIsolated { done(result) } }
            }
            #expect(try size.get() == 123)
        }
    }
}

@Suite struct ImageCacheAsyncTests {
    private let parsed = KingfisherParsedOptionsInfo(nil)

    @Test func `an async store returns when the image is on disk`() async throws {
        try await withCache { cache in
            let (image, data) = (try Pictures.image(), try Pictures.data())
            try await cache.store(image, forKey: "a")
            try await cache.store(
                image, original: nil, forKey: "b", processorIdentifier: "p", forcedExtension: "png",
                cacheSerializer: FormatIndicatedCacheSerializer.png, toDisk: true)
            try await cache.store(image, forKey: "c", options: parsed)
            try await cache.store(image, original: data, forKey: "d", options: parsed, toDisk: false)
            try await cache.storeToDisk(data, forKey: "e")
            try await cache.storeToDisk(
                data, forKey: "f", processorIdentifier: "p", forcedExtension: "png", expiration: .never)
            let disk = cache.diskStorage
            #expect(["a", "c", "e"].allSatisfy { disk.isCached(forKey: $0) } && !disk.isCached(forKey: "d"))
            #expect(["b@p", "f@p"].allSatisfy { disk.isCached(forKey: $0, forcedExtension: "png") })
        }
    }

    @Test func `an async store that fails throws, and the image is in memory anyway`() async throws {
        try await withCache { cache in
            let image = try Pictures.image()
            let error = await #expect(throws: KingfisherError.self) {
                try await cache.store(image, forKey: "a", cacheSerializer: RefusingSerializer())
            }
            #expect(error?.errorCode == 3008 && cache.imageCachedType(forKey: "a") == .memory)
        }
    }

    @Test func `async loads find cached images`() async throws {
        try await withCache { cache in
            try await cache.store(Pictures.image(width: 4), forKey: "a")
            let inMemory: ImageCacheResult = try await cache.retrieveImage(forKey: "a")
            cache.clearMemoryCache()
            let onDisk: KFCrossPlatformImage? = try await cache.retrieveImageInDiskCache(forKey: "a")
            let refreshed = try await cache.retrieveImage(forKey: "a", options: [.fromMemoryCacheOrRefresh])
            let loaded = try await cache.retrieveImage(forKey: "a", options: parsed)
            #expect(inMemory.cacheType == .memory && onDisk?.width == 4)
            #expect(refreshed.cacheType == .none && loaded.cacheType == .disk && loaded.image?.width == 4)
            #expect(try await cache.retrieveImageInDiskCache(forKey: "b", options: [.scaleFactor(2)]) == nil)
        }
    }

    @Test func `async removals, clears and cleans return when the images are gone`() async throws {
        try await withCache { cache in
            let image = try Pictures.image()
            try await cache.store(image, forKey: "a")
            try await cache.removeImage(
                forKey: "a", processorIdentifier: "", forcedExtension: nil, fromMemory: true, fromDisk: false)
            #expect(await cache.imageCachedTypeAsync(forKey: "a") == .disk)
            try await cache.removeImage(forKey: "a")
            let type: CacheType = await cache.imageCachedTypeAsync(
                forKey: "a", processorIdentifier: "", forcedExtension: nil)
            #expect(type == .none)
            try await cache.store(image, forKey: "b")
            await cache.cleanExpiredCache()
            await cache.cleanExpiredDiskCache()
            #expect(cache.isCached(forKey: "b"))
            await cache.clearDiskCache()
            #expect(cache.imageCachedType(forKey: "b") == .memory)
            await cache.clearCache()
            let size: UInt = try await cache.diskStorageSize
            #expect(!cache.isCached(forKey: "b") && size == 0)
        }
    }
}

@Suite struct ImageCacheValueTests {
    @Test func `functions and properties can be handed on as values`() async throws {
        try await withCache { cache in
            try await cache.store(Pictures.image(width: 3), forKey: "a")
            let find: (String, KingfisherOptionsInfo?) -> KFCrossPlatformImage? =
                cache.retrieveImageInMemoryCache(forKey:options:)
            let load: (String, KingfisherOptionsInfo?) async throws -> ImageCacheResult =
                cache.retrieveImage(forKey:options:)
            let type: (ImageCache) -> (String, String, String?) -> CacheType = ImageCache.imageCachedType
            let hash: (String, String, String?) -> String = cache.hash(forKey:processorIdentifier:forcedExtension:)
            let names = ["a", "b"].map { hash($0, "", nil) }
            #expect(find("a", nil)?.width == 3 && type(cache)("a", "", nil) == .memory && names[0] != names[1])
            #expect(try await load("a", nil).cacheType == .memory)

            let make: (MemoryStorage.Backend<KFCrossPlatformImage>, DiskStorage.Backend<Data>) -> ImageCache =
                ImageCache.init(memoryStorage:diskStorage:)
            let size: ReferenceWritableKeyPath<ImageCache, UInt> = \.diskStorage.config.sizeLimit
            let other = make(cache.memoryStorage, cache.diskStorage)
            other[keyPath: size] = 1_000_000
            #expect(cache[keyPath: size] == 1_000_000)
            let urls = [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")]
            #expect(urls.map(\.cacheKey) == ["kingfisher.local.cacheKey///a", "kingfisher.local.cacheKey///b"])
        }
    }
}
