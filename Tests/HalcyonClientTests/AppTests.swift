import Foundation
import Halcyon
import HalcyonMainActorApp
import Testing

/// The code in `App/` does what an app needs.
@Suite struct AppTests {
    private struct View: AvatarView {
        let show: @Sendable (String) -> Void

        func display(_ image: KFCrossPlatformImage) { show("image \(image.width)") }
        func displayPlaceholder() { show("placeholder") }
        func fail(with message: String) { show(message) }
    }

    private func withAvatars(_ body: (AvatarCache) async throws -> Void) async throws {
        try await withCache { cache in try await body(AvatarCache(cache: cache)) }
    }

    /// What the app shows for an address, at once or later.
    private func shown(_ url: URL, by avatars: AvatarCache) async -> String {
        await handled { done in avatars.show(url, in: View(show: done)) }
    }

    @Test func `a picture is downloaded once and then served from the cache`() async throws {
        let url = try #require(URL(string: "https://example.com/ann.png"))
        try await withAvatars { avatars in
            #expect(await shown(url, by: avatars) == "placeholder" && avatars.needsDownload(url))
            let file = try Pictures.data(width: 3)
            let isStored = await handled { done in avatars.didDownload(file, from: url) { done($0) } }
            #expect(isStored && !avatars.needsDownload(url))
            #expect(await shown(url, by: avatars) == "image 3")
            avatars.cache.clearMemoryCache()
            #expect(await shown(url, by: avatars) == "image 3")
            #expect(await avatars.image(for: url)?.width == 3)
            let isImage = await handled { done in avatars.didDownload(Data([1]), from: url) { done($0) } }
            #expect(!isImage)
        }
    }

    @Test func `pictures are prefetched, counted, and removed when the user logs out`() async throws {
        let urls = try (1...3).map { try #require(URL(string: "https://example.com/\($0).png")) }
        try await withAvatars { avatars in
            try await avatars.prefetch(urls.map { ($0, Data(count: 1024 * 1024)) })
            #expect(urls.allSatisfy { !avatars.needsDownload($0) })
            let text = await handled { done in avatars.sizeText { done($0) } }
            #expect(text == "3.0 MB")
            avatars.forget(urls[0])
            avatars.tidyUp()
            #expect(await avatars.cache.imageCachedTypeAsync(forKey: urls[0].cacheKey) == .none)
            await done { done in avatars.logOut { done() } }
            #expect(await handled { done in avatars.sizeText { done($0) } } == "0.0 MB")
        }
    }

    // MARK: With isolation to the main actor by default

    @Test @MainActor func `an app isolated to the main actor by default stores values of its own types`() throws {
        let folder = try Folder()
        let all = try colors(["#0af"], storedWith: .init(name: "palettes", sizeLimit: 0, directory: folder.url))
        #expect(all == [["#0af"], ["#0af"]])
    }

    @Test func `handlers reach a view isolated to the main actor by default`() async throws {
        let file = try Pictures.data(width: 3)
        let image = try #require(KFCrossPlatformImage(data: file))
        try await withCache { cache in
            let view = await PictureView()
            await view.store(image, forKey: "a", in: cache)
            await view.load("a", from: cache)
            while await view.image == nil { await Task.yield() }
            let width = await view.image?.width
            #expect(width == 3)
            await cache.suspend()
            await view.store(image, forKey: "b", in: cache)
            while await view.failure == nil { await Task.yield() }
            cache.resume()
        }
    }
}
