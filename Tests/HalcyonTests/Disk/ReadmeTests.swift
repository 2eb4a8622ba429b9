import Foundation
import Halcyon
import HalcyonTestSupport
import Testing

/// The lines of the README compile and do what they say.
@Suite struct ReadmeTests {
    @Test func `ten lines`() throws {
        let folder = try TemporaryFolder()
        let (png, icon) = (Data.blob(1), Data.blob(2))

        let storage = try DiskStorage.Backend<Data>(
            config: .init(name: "thumbnails", sizeLimit: 50_000_000, directory: folder.url))
        try storage.store(value: png, forKey: "https://example.com/a.png")
        try storage.store(value: icon, forKey: "icon", expiration: .never)
        let data = try storage.value(forKey: "https://example.com/a.png")
        let isThere = storage.isCached(forKey: "icon")
        let expired = try storage.removeExpiredValues()
        let evicted = try storage.removeSizeExceededValues()

        #expect(data == png && isThere && expired.isEmpty && evicted.isEmpty)
        #expect(storage.directoryURL.lastPathComponent == "com.onevcat.Kingfisher.ImageCache.thumbnails")
    }
}
