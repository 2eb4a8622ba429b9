import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct ImageProcessorTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    /// Records that it was called, and fails on request.
    private struct Noting: ImageProcessor {
        let identifier: String
        let notes: Locked<[String]>
        var fails = false

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            if case .image = item { notes.withLock { $0.append("\(identifier) image") } }
            if case .data = item { notes.withLock { $0.append("\(identifier) data") } }
            return fails ? nil : DefaultImageProcessor.default.process(item: item, options: options)
        }
    }

    @Test func `the default processor has an empty identifier`() {
        #expect(DefaultImageProcessor.default.identifier.isEmpty && DefaultImageProcessor().identifier.isEmpty)
    }

    @Test func `the default processor decodes data and returns images unchanged`() throws {
        let processor = DefaultImageProcessor.default
        #expect(processor.process(item: .data(Pictures.small[2]), options: options)?.number == 2)
        #expect(processor.process(item: .data(.blob(1)), options: options) == nil)
        let image = try Pictures.image()
        #expect(processor.process(item: .image(image), options: options) === image)
        let scaled = processor.process(item: .image(image), options: KingfisherParsedOptionsInfo([.scaleFactor(2)]))
        #expect(scaled?.hasScale2 == true)
    }

    @Test func `chained processors join their identifiers`() {
        let notes: Locked<[String]> = Locked([])
        let (a, b, c) = (
            Noting(identifier: "a", notes: notes), Noting(identifier: "b", notes: notes),
            Noting(identifier: "c", notes: notes)
        )
        #expect((a |> b).identifier == "a|>b" && (a |> b |> c).identifier == "a|>b|>c")
        #expect(a.append(another: b).append(another: c).identifier == "a|>b|>c")
        #expect((a |> b |> c).process(item: .data(Pictures.small[1]), options: options)?.number == 1)
        #expect(notes.withLock { $0 } == ["a data", "b image", "c image"])
    }

    @Test func `a failing processor ends the chain`() {
        let notes: Locked<[String]> = Locked([])
        let chain = Noting(identifier: "a", notes: notes, fails: true) |> Noting(identifier: "b", notes: notes)
        #expect(chain.process(item: .data(Pictures.small[1]), options: options) == nil)
        #expect(notes.withLock { $0 } == ["a data"])
    }

    @Test func `the cache itself never processes`() async throws {
        try await withImageCache { subject in
            let notes: Locked<[String]> = Locked([])
            let options = KingfisherParsedOptionsInfo([.processor(Noting(identifier: "a", notes: notes))])
            try await subject.cache.store(Pictures.image(1), forKey: "k", options: options)
            subject.cache.clearMemoryCache()
            #expect(try await subject.cache.retrieveImage(forKey: "k", options: options).image?.number == 1)
            #expect(notes.withLock { $0 }.isEmpty)
            #expect(subject.cache.isCached(forKey: "k", processorIdentifier: "a"))
        }
    }
}
