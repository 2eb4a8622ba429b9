import Foundation
import Halcyon
import Testing

// Shared by these tests. They import what an app imports, and cannot access anything that is not public (`packageAccess: false` in
// Package.swift, and Scripts/api).

/// A folder of one test, which removes it at its end.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("halcyon-client-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Runs a test on its own cache.
func withCache(_ body: (ImageCache) async throws -> Void) async throws {
    try await withCache(made: { try ImageCache(name: "client", cacheDirectoryURL: $0) }, body)
}

/// - Parameter make: receives the parent of the cache's folder.
func withCache<Cache: ImageCache>(made make: (URL) throws -> Cache, _ body: (Cache) async throws -> Void) async throws {
    let folder = try Folder()
    let made = try await weakReference {
        let cache = try make(folder.url)
        try await body(cache)
        return cache
    }
    // The block that calls back holds the cache a moment longer than the caller waits. If the process ends in that moment, it looks like a
    // leak.
    let deadline = ContinuousClock.now + .seconds(60)
    while made.cache != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(made.cache == nil, "nothing holds a cache that nobody uses")
    withExtendedLifetime(folder) {}
}

private struct WeakReference {
    weak var cache: ImageCache?
}

private func weakReference(_ body: () async throws -> ImageCache) async throws -> WeakReference {
    WeakReference(cache: try await body())
}

/// Runs a test on its own disk storage.
func withStorage(
    configure: (inout DiskStorage.Config) -> Void = { _ in }, _ body: (DiskStorage.Backend<Data>) async throws -> Void
) async throws {
    try await withStorage(of: Data.self, configure: configure, body)
}

func withStorage<Value: DataTransformable & Sendable>(
    of type: Value.Type, configure: (inout DiskStorage.Config) -> Void = { _ in },
    _ body: (DiskStorage.Backend<Value>) async throws -> Void
) async throws {
    let folder = try Folder()
    var config = DiskStorage.Config(name: "client", sizeLimit: 0, directory: folder.url)
    configure(&config)
    try await body(DiskStorage.Backend<Value>(config: config))
    withExtendedLifetime(folder) {}
}

/// The argument of a handler.
func handled<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    // The thread sanitizer reports a data race if the continuation resumes before the await, unless a lock orders the two.
    let order = NSLock()
    defer { order.withLock {} }
    return await withCheckedContinuation { continuation in
        start { value in order.withLock { continuation.resume(returning: value) } }
    }
}

/// Waits until a handler without a parameter is called.
func done(_ start: (@escaping @Sendable () -> Void) -> Void) async {
    await withCheckedContinuation { continuation in start { continuation.resume() } }
}

/// Selects the functions with handlers: async code would call the async ones.
func withoutWaiting(_ body: () throws -> Void) rethrows { try body() }

/// Records values from any thread.
final class Notes<Value: Sendable>: @unchecked Sendable {
    // Sendable because of the lock.
    private let lock = NSLock()
    private var noted: [Value] = []

    func note(_ value: Value) { lock.withLock { noted.append(value) } }
    var values: [Value] { lock.withLock { noted } }
}

/// A dispatch queue that can tell whether code runs on it.
struct MarkedQueue: Sendable {
    private static let key = DispatchSpecificKey<UUID>()
    let queue = DispatchQueue(label: "client")
    private let id = UUID()

    init() { queue.setSpecific(key: Self.key, value: id) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == id }
}

/// Two pixels high, one to four wide.
enum Pictures {
    static let png = [
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAIAAAAW4yFwAAAADklEQVR4nGO4oyHHAMQACpQCRe6Vp9EAAAAASUVORK5CYII=",
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGPQ2GIDRAwQCgAeXgRhk57gaAAAAABJRU5ErkJggg==",
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGOQszkBQQxwFgBAEAbNIQytyAAAAABJRU5ErkJggg==",
        "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR4nGP48OEZHDEgcwAg6RYxKieN8AAAAABJRU5ErkJggg==",
    ]

    static func data(width: Int = 1) throws -> Data { try #require(Data(base64Encoded: png[width - 1])) }
    static func image(width: Int = 1) throws -> KFCrossPlatformImage {
        try #require(KFCrossPlatformImage(data: data(width: width)))
    }
}

extension KFCrossPlatformImage {
    /// Distinguishes the pictures.
    var width: Int { Int(size.width * kf.pixelsPerPoint) }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// An `NSImage` has no scale.
    fileprivate var pixelsPerPoint: CGFloat {
        #if canImport(AppKit) && !canImport(UIKit)
            1
        #else
            base.scale
        #endif
    }
}
