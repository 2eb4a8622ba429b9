import Foundation
import Halcyon

/// What apps do thousands of times: each through the calls that they make.
enum HotPath: String, CaseIterable {
    case valueHit = "value_hit"
    case isCachedHit = "is_cached_hit"
    case isCachedMiss = "is_cached_miss"
    case storeNew = "store_new"
    case storeBurst = "store_burst"
    case overwrite
    case memoryHit = "memory_hit"

    /// Entries that are there before.
    static let filling = 256

    /// Does it so many times, to a cache with some entries.
    func run(_ count: Int, in folder: URL) throws {
        let cache = try Cache(folder)
        try cache.fill(Self.filling)
        switch self {
        case .valueHit: for number in 0..<count { try cache.load(number % Self.filling) }
        case .isCachedHit: for number in 0..<count { precondition(cache.has(number % Self.filling)) }
        case .isCachedMiss: for number in 0..<count { precondition(!cache.has(Self.filling + number)) }
        case .storeNew: for number in 0..<count { try cache.store(Self.filling + number) }
        case .storeBurst: cache.storeTogether(Self.filling..<Self.filling + count)
        case .overwrite: for number in 0..<count { try cache.store(number % Self.filling) }
        case .memoryHit: try cache.loadFromMemory(count)
        }
    }
}

/// A cache that nobody else uses meanwhile, and no timer cleans.
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

    func fill(_ count: Int) throws { for number in 0..<count { try store(number) } }

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
        guard let image = gif.flatMap(KFCrossPlatformImage.init(data:)) else { throw CocoaError(.fileReadCorruptFile) }
        for number in 0..<HotPath.filling { cache.memoryStorage.store(value: image, forKey: key(number)) }
        for number in 0..<count {
            precondition(cache.retrieveImageInMemoryCache(forKey: key(number % HotPath.filling)) != nil)
        }
    }
}
