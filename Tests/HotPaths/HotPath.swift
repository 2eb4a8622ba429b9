import Foundation
import Halcyon

/// Operations that apps call thousands of times, through the public API.
enum HotPath: String, CaseIterable {
    case valueHit = "value_hit"
    case valueFirstLook = "value_first_look"
    case isCachedHit = "is_cached_hit"
    case isCachedFirstLook = "is_cached_first_look"
    /// The first look at a key after a store of another one.
    case valueAfterStore = "value_after_store"
    case isCachedAfterStore = "is_cached_after_store"
    case isCachedMiss = "is_cached_miss"
    case storeNew = "store_new"
    case storeBurst = "store_burst"
    case overwrite
    case memoryHit = "memory_hit"

    /// Entries that exist before.
    static let filling = 256

    private var isFirstLook: Bool {
        [.valueFirstLook, .isCachedFirstLook, .valueAfterStore, .isCachedAfterStore].contains(self)
    }

    /// A system call that marks the beginning and end of the calls in a trace.
    private static func mark(_ name: String) { _ = access("/halcyon-hot-path-\(name)", F_OK) }

    /// Runs the operation that many times, on a cache with some entries.
    ///
    /// - Parameter isSettled: waits until the folder has been unchanged for so long that its dates can be trusted.
    func run(_ count: Int, in folder: URL, isSettled: Bool) throws {
        let cache: Cache
        if isFirstLook {
            // First closes the cache that fills the folder, which would share its rows in memory with the next one.
            try Cache(folder).fill(Self.filling)
            cache = try Cache(folder)
            // Each key is looked up once, after one lookup that opens the index.
            precondition(count < Self.filling)
            try cache.load(Self.filling - 1)
        } else {
            cache = try Cache(folder)
            try cache.fill(Self.filling)
        }
        if isSettled { Thread.sleep(forTimeInterval: 3.5) }
        guard self != .valueAfterStore, self != .isCachedAfterStore else {
            return try lookAfterStores(count, cache)
        }
        Self.mark("begin")
        defer { Self.mark("end") }
        switch self {
        case .valueHit, .valueFirstLook: for number in 0..<count { try cache.load(number % Self.filling) }
        case .isCachedHit, .isCachedFirstLook:
            for number in 0..<count { precondition(cache.has(number % Self.filling)) }
        case .isCachedMiss: for number in 0..<count { precondition(!cache.has(Self.filling + number)) }
        case .storeNew: for number in 0..<count { try cache.store(Self.filling + number) }
        case .storeBurst: cache.storeTogether(Self.filling..<Self.filling + count)
        case .overwrite: for number in 0..<count { try cache.store(number % Self.filling) }
        case .memoryHit: try cache.loadFromMemory(count)
        case .valueAfterStore, .isCachedAfterStore: break
        }
    }

    /// Marks each look, without the store before it.
    private func lookAfterStores(_ count: Int, _ cache: Cache) throws {
        for number in 0..<count {
            try cache.store(Self.filling + number)
            Self.mark("begin")
            defer { Self.mark("end") }
            if self == .valueAfterStore { try cache.load(number) } else { precondition(cache.has(number)) }
        }
    }
}

/// A cache that nothing else uses, and that no timer cleans.
private struct Cache {
    private let cache: ImageCache
    private let data = Data(repeating: 7, count: 4_096)

    init(_ folder: URL) throws {
        var config = DiskStorage.Config(name: "hot", sizeLimit: 0, directory: folder)
        config.cleanInterval = 0
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 0, cleanInterval: 0)),
            diskStorage: try DiskStorage.Backend(config: config))
    }

    private func key(_ number: Int) -> String { "https://img.example.com/pictures/2026/\(number)/large.jpg" }

    /// Includes the write of pending accesses.
    func fill(_ count: Int) throws {
        for number in 0..<count { try store(number) }
        try cache.diskStorage.flush()
    }

    func store(_ number: Int) throws { try cache.diskStorage.store(value: data, forKey: key(number)) }

    func load(_ number: Int) throws {
        let found = try cache.diskStorage.value(forKey: key(number))
        precondition(found?.count == data.count)
    }

    func has(_ number: Int) -> Bool { cache.diskStorage.isCached(forKey: key(number)) }

    func storeTogether(_ numbers: Range<Int>) {
        let pending = DispatchGroup()
        for number in numbers {
            pending.enter()
            cache.storeToDisk(data, forKey: key(number)) { result in
                precondition((try? result.diskCacheResult.get()) != nil)
                pending.leave()
            }
        }
        pending.wait()
    }

    func loadFromMemory(_ count: Int) throws {
        let gif = Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==")
        guard let image = gif.flatMap({ KingfisherWrapper<KFCrossPlatformImage>.image(data: $0, options: .init()) })
        else {
            throw CocoaError(.fileReadCorruptFile)
        }
        for number in 0..<HotPath.filling { cache.memoryStorage.store(value: image, forKey: key(number)) }
        for number in 0..<count {
            precondition(cache.retrieveImageInMemoryCache(forKey: key(number % HotPath.filling)) != nil)
        }
    }
}
