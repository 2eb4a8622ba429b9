import Foundation
public import Halcyon

// Compiled like an app whose declarations are isolated to the main actor by default, as Xcode sets up new ones.

struct Palette: Codable, DataTransformable, CacheCostCalculable {
    var colors: [String] = []

    static var empty: Palette { Palette() }
    var cacheCost: Int { colors.count }
    func toData() throws -> Data { try JSONEncoder().encode(self) }
    static func fromData(_ data: Data) throws -> Palette { try JSONDecoder().decode(Palette.self, from: data) }
}

/// Returns the colors that a storage on disk and one in memory return of those that they store.
public func colors(_ colors: [String], storedWith config: DiskStorage.Config) throws -> [[String]?] {
    let palettes = try DiskStorage.Backend<Palette>(config: config)
    defer { palettes.close() }
    try palettes.store(value: Palette(colors: colors), forKey: "sunset", expiration: .days(30))
    let memory = MemoryStorage.Backend<Palette>(config: .init(totalCostLimit: 100))
    memory.store(value: Palette(colors: colors), forKey: "sunset")
    return [try palettes.value(forKey: "sunset")?.colors, memory.value(forKey: "sunset")?.colors]
}

/// A view that uses the functions with handlers.
public final class PictureView {
    public private(set) var image: KFCrossPlatformImage?
    public private(set) var failure: (any Error)?

    public init() {}

    public func store(_ image: KFCrossPlatformImage, forKey key: String, in cache: ImageCache) {
        cache.store(image, forKey: key) { [self] result in
            if case .failure(let error) = result.diskCacheResult { Task { @MainActor in report(error) } }
        }
    }

    public func load(_ key: String, from cache: ImageCache) {
        cache.retrieveImage(forKey: key) { [self] result in
            if case .success(let found) = result { MainActor.assumeIsolated { show(found.image) } }
        }
    }

    private func show(_ image: KFCrossPlatformImage?) { self.image = image }
    private func report(_ error: any Error) { failure = error }
}
