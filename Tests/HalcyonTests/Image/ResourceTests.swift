import Foundation
import Testing

@testable import Halcyon

@Suite struct ResourceTests {
    @Test(arguments: [
        ("https://example.com/a.png?x=1#y", "https://example.com/a.png?x=1#y"),
        ("file:///var/containers/1234/Some.app/images/a.png", "kingfisher.local.cacheKey/Some.app/images/a.png"),
        (
            "file:///var/1/Some.app/PlugIns/Share.appex/a.png", "kingfisher.local.cacheKey/Share.appex/a.png"
        ),
        ("file:///tmp/a.png", "kingfisher.local.cacheKey///tmp/a.png"),
        ("file:///x/Some.app/a.png?size=2", "kingfisher.local.cacheKey/Some.app/a.png?size=2"),
    ])
    func `a URL is its own key, and a file's key does not change with the installation`(address: String, key: String)
        throws
    {
        let url = try #require(URL(string: address))
        #expect(url.cacheKey == key)
        #expect(url.downloadURL == url)
    }
}

@Suite struct ImageFormatTests {
    @Test func `formats are detected from the first bytes`() {
        let rest = [UInt8](repeating: 0, count: 8)
        #expect(ImageFormat(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + rest)) == .PNG)
        #expect(ImageFormat(Data([0xFF, 0xD8, 0xFF] + rest)) == .JPEG)
        #expect(ImageFormat(Data("GIF89a".utf8 + rest)) == .GIF)
        #expect(ImageFormat(Data("BM".utf8 + rest)) == .unknown)
        #expect(ImageFormat(Data([0xFF, 0xD8, 0xFF, 0, 0, 0, 0, 0])) == .unknown)
        #expect(ImageFormat(Data()) == .unknown)
    }
}
