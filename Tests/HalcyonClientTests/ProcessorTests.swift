import Foundation
import Halcyon
import Testing

@Suite struct ProcessorTests {
    private var options: KingfisherParsedOptionsInfo { KingfisherParsedOptionsInfo([.scaleFactor(2)]) }

    @Test func `a processor's item is an image or data`() throws {
        func name(of item: ImageProcessItem) -> String {
            switch item {
            case .image(let image): "image \(image.width)"
            case .data(let data): "data \(data.count)"
            }
        }
        #expect(name(of: .image(try Pictures.image(width: 3))) == "image 3" && name(of: .data(Data([1]))) == "data 1")
    }

    @Test func `the default processor decodes data and has an empty identifier`() throws {
        #expect(DefaultImageProcessor.default.identifier.isEmpty && DefaultImageProcessor().identifier.isEmpty)
        let processor = DefaultImageProcessor()
        #expect(processor.process(item: .data(try Pictures.data(width: 3)), options: options)?.width == 3)
        #expect(processor.process(item: .image(try Pictures.image(width: 3)), options: options)?.width == 3)
        #expect(processor.process(item: .data(Data([1])), options: options) == nil)
    }

    @Test func `processors are chained by a function and by an operator, from the left`() throws {
        let (one, two) = (RoundedCorners(radius: 1), RoundedCorners(radius: 2))
        let name = "com.example.rounded(1.0)|>com.example.rounded(2.0)"
        let appended: ImageProcessor = one.append(another: two)
        let operated: ImageProcessor = one |> two
        #expect(appended.identifier == name && operated.identifier == name)
        let three = one |> two |> RefusingProcessor()
        #expect(three.identifier == name + "|>com.example.refusing")
        #expect(operated.process(item: .data(try Pictures.data(width: 3)), options: options)?.width == 3)
        #expect(three.process(item: .data(try Pictures.data(width: 3)), options: options) == nil)
    }

    @Test func `two built-in processors change the size of an image`() throws {
        let (data, size) = (try Pictures.data(width: 4), CGSize(width: 2, height: 2))
        let small = DownsamplingImageProcessor(size: size)
        #expect(small.size == size && small.identifier.hasSuffix("DownsamplingImageProcessor((2.0, 2.0))"))
        #if ImageCodecs && os(Linux)
            #expect(small.process(item: .data(data), options: .init(nil))?.width == 2)
        #endif
        for mode in [ContentMode.none, .aspectFit, .aspectFill] {
            let resizing = ResizingImageProcessor(referenceSize: size, mode: mode)
            #expect(resizing.referenceSize == size && resizing.targetContentMode == mode)
            #expect(resizing.identifier.contains("ResizingImageProcessor(") && resizing.identifier != small.identifier)
            #if ImageCodecs && os(Linux)
                #expect(resizing.process(item: .data(data), options: .init(nil)) != nil)
            #endif
        }
        #if !canImport(UIKit) && !canImport(AppKit)
            let limit = HalcyonImage.concurrentDecodeLimit
            HalcyonImage.concurrentDecodeLimit = limit
            #expect(limit > 0)
        #endif
    }

    @Test func `a processor's identifier is part of the key`() async throws {
        try await withCache { cache in
            let corners = RoundedCorners(radius: 8)
            let options: KingfisherOptionsInfo = [.processor(corners)]
            try await cache.store(Pictures.image(), forKey: "a", options: KingfisherParsedOptionsInfo(options))
            #expect(try await cache.retrieveImage(forKey: "a", options: options).cacheType == .memory)
            #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
            #expect(cache.isCached(forKey: "a", processorIdentifier: corners.identifier))
        }
    }
}
