import Foundation
import HalcyonKingfisher
import Kingfisher
import Testing

/// Creates images from bytes, and counts them.
private struct CountingSerializer: CacheSerializer {
    let counter: Counter
    /// Called after an image is created.
    var made: @Sendable () -> Void = {}

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        counter.count("image")
        defer { made() }
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

/// A view's interest in an image, which ends at some point.
private final class Wish: @unchecked Sendable {
    private let lock = NSLock()
    private var remaining: Int

    /// - Parameter count: the number of checks for which the image is still wanted.
    init(answers count: Int = .max) { remaining = count }

    var isWanted: @Sendable () -> Bool {
        { [self] in
            lock.withLock {
                remaining -= 1
                return remaining >= 0
            }
        }
    }

    func end() { lock.withLock { remaining = 0 } }
}

@Suite(.timeLimit(.minutes(10))) struct StaleTests {
    private let key = "https://example.com/a.png"

    /// Loads an image from disk for a view and returns the result.
    private func load(
        _ serializer: CountingSerializer, _ options: KingfisherOptionsInfo = [], while wish: Wish
    ) async throws -> (cacheType: CacheType?, isInMemory: Bool) {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let app = try App(cache)
        try await cache.storeToDisk(try Picture().data, forKey: key)
        let options = options + [.cacheSerializer(serializer)]
        let found = try? await app.get(key, options, isWanted: wish.isWanted)
        #expect(app.downloads.all == [:])
        #expect(cache.stockCalls == [])
        return (found?.cacheType, cache.imageCachedType(forKey: key) == .memory)
    }

    @Test func `an image that stays wanted is loaded`() async throws {
        let counter = Counter()
        let loaded = try await load(CountingSerializer(counter: counter), [.backgroundDecode], while: Wish())
        #expect(loaded == (.disk, true))
        #expect(counter.all == ["image": 1])
    }

    @Test(arguments: [0, 1]) func `an image that is no longer wanted is not decoded`(answers: Int) async throws {
        // At the start, and after its file has been read.
        let counter = Counter()
        let loaded = try await load(CountingSerializer(counter: counter), while: Wish(answers: answers))
        #expect(loaded == (nil, false))
        #expect(counter.all == [:])
    }

    @Test func `an image that is no longer wanted after decoding is not cached`() async throws {
        let wish = Wish()
        let counter = Counter()
        let serializer = CountingSerializer(counter: counter) { wish.end() }
        let loaded = try await load(serializer, [.backgroundDecode], while: wish)
        #expect(loaded == (nil, false))
        #expect(counter.all == ["image": 1])
    }
}
