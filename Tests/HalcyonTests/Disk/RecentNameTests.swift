import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct RecentNameTests {
    private let hashed = BlobNaming(isHashed: true, pathExtension: nil, suggestsExtension: false)
    private let plain = BlobNaming(isHashed: false, pathExtension: nil, suggestsExtension: false)

    private func text(_ key: String, in names: RecentNames, as pathExtension: String? = nil, isFolding: Bool = false)
        -> String
    {
        names.name(forKey: key, forcedExtension: pathExtension, isFolding: isFolding).text
    }

    @Test func `a name is the same the second time`() {
        let names = RecentNames(hashed)
        for key in ["", "a", "https://example.com/ä.png", "a\0b"] {
            let name = names.name(forKey: key, forcedExtension: nil, isFolding: false)
            #expect(name == hashed.name(forKey: key, forcedExtension: nil))
            let again = names.name(forKey: key, forcedExtension: nil, isFolding: false)
            #expect(again == name && again.rowID == name.rowID && again.former == nil)
        }
        #expect(names.count > 0)
    }

    @Test func `keys that share a slot have names of their own`() {
        let names = RecentNames(hashed)
        for _ in 0..<2 {
            for number in 0..<10_000 {
                let key = "https://example.com/\(number)"
                #expect(text(key, in: names) == hashed.name(forKey: key, forcedExtension: nil).text)
            }
        }
        #expect((3_000...4_096).contains(names.count))
    }

    @Test func `setting the same configuration again keeps the names`() throws {
        let names = RecentNames(hashed)
        _ = text("a", in: names)
        names.rename(by: hashed)
        #expect(names.count == 1)
        names.rename(by: plain)
        #expect(names.count == 0 && text("a", in: names) == "a")
    }

    @Test func `a long key is not kept`() {
        let names = RecentNames(hashed)
        let key = String(repeating: "k", count: 100_000)
        #expect(text(key, in: names) == hashed.name(forKey: key, forcedExtension: nil).text && names.count == 0)
    }

    @Test func `after changes on two threads, names and settings follow the configuration that has won`() throws {
        try withCache { cache in
            let storage = cache.storage
            for _ in 0..<500 {
                DispatchQueue.concurrentPerform(iterations: 2) { number in
                    var config = cache.config
                    (config.pathExtension, config.expiration) = ("\(number)", .days(number + 1))
                    storage.config = config
                }
                let settings = storage.store.condition.settings
                #expect(settings.adoptionExpiration.timeInterval == storage.config.expiration.timeInterval)
                let pathExtension = try #require(storage.config.pathExtension)
                #expect(storage.cacheFileName(forKey: "a").hasSuffix(".\(pathExtension)"))
            }
        }
    }

    @Test func `keys that only Swift takes for equal have names of their own`() {
        let names = RecentNames(hashed)
        #expect("\u{E9}" == "e\u{301}")
        #expect(text("\u{E9}", in: names) != text("e\u{301}", in: names))
        #expect(text("\u{E9}", in: names) != text("e\u{301}", in: names))
    }

    @Test func `an extension that the caller names is part of the name`() {
        let names = RecentNames(hashed)
        let name = text("a", in: names)
        #expect(text("a", in: names, as: "png") == "\(name).png")
        #expect(text("a", in: names) == name)
    }

    @Test func `a change of the configuration applies to the next name`() throws {
        try withCache { cache in
            let name = cache.storage.cacheFileName(forKey: "a")
            cache.storage.config.pathExtension = "jpg"
            #expect(cache.storage.cacheFileName(forKey: "a") == "\(name).jpg")
            cache.storage.config.usesHashedFileName = false
            #expect(cache.storage.cacheFileName(forKey: "a") == "a.jpg")
        }
    }

    @Test func `a name that depends on the volume is made each time`() {
        let names = RecentNames(plain)
        #expect(text("A", in: names) == "A")
        let folding = names.name(forKey: "A", forcedExtension: nil, isFolding: true)
        #expect(folding.text != "A" && folding.former?.text == "A")
        #expect(text("A", in: names) == "A")
    }
}
