#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import HalcyonTestSupport
    import Testing

    @testable import Halcyon

    /// The two processors that change the size of images.
    @Suite struct SizeProcessorTests {
        private func options(scale: CGFloat = 1) -> KingfisherParsedOptionsInfo { .init([.scaleFactor(scale)]) }

        /// Each pixel has its column, its row and their sum.
        private func image(_ width: Int, _ height: Int, scale: CGFloat = 1) throws -> HalcyonImage {
            var rgba = [UInt8](repeating: 255, count: width * height * 4)
            for pixel in 0..<width * height {
                let (x, y) = (pixel % width, pixel / width)
                rgba[4 * pixel] = UInt8(x % 256)
                rgba[4 * pixel + 1] = UInt8(y % 256)
                rgba[4 * pixel + 2] = UInt8((x + y) % 256)
            }
            return try #require(HalcyonImage(rgba: rgba, width: width, height: height, scale: scale))
        }

        @Test func `identifiers are Kingfisher's`() {
            let size = CGSize(width: 96, height: 48.5)
            #expect(
                DownsamplingImageProcessor(size: size).identifier
                    == "com.onevcat.Kingfisher.DownsamplingImageProcessor((96.0, 48.5))")
            #expect(
                ResizingImageProcessor(referenceSize: size).identifier
                    == "com.onevcat.Kingfisher.ResizingImageProcessor((96.0, 48.5))")
            #expect(
                ResizingImageProcessor(referenceSize: size, mode: .aspectFit).identifier
                    == "com.onevcat.Kingfisher.ResizingImageProcessor((96.0, 48.5), aspectFit)")
            #expect(
                ResizingImageProcessor(referenceSize: size, mode: .aspectFill).identifier
                    == "com.onevcat.Kingfisher.ResizingImageProcessor((96.0, 48.5), aspectFill)")
        }

        // MARK: Downsampling

        @Test(arguments: [ImageFormat.PNG, .JPEG, .GIF])
        func `a file is downsampled`(format: ImageFormat) throws {
            let data = try #require(try image(320, 240).kf.data(format: format))
            let processor = DownsamplingImageProcessor(size: CGSize(width: 64, height: 10))
            let small = try #require(processor.process(item: .data(data), options: options()))
            #expect(small.size == CGSize(width: 64, height: 48) && small.scale == 1)
            let dense = try #require(processor.process(item: .data(data), options: options(scale: 2)))
            #expect(dense.size == CGSize(width: 64, height: 48) && dense.scale == 2)
            let same = try #require(processor.process(item: .image(image(320, 240)), options: options()))
            #expect(same.size == small.size)
            let large = DownsamplingImageProcessor(size: CGSize(width: 1_000, height: 1_000))
            #expect(large.process(item: .data(data), options: options())?.size == CGSize(width: 320, height: 240))
        }

        @Test func `an animation without a file is downsampled from its pixels`() throws {
            let bitmap = try Bitmap(
                size: PixelSize(width: 64, height: 40),
                pixels: (0..<64 * 40).flatMap { [UInt8($0 % 64 * 4), 7, 9, 120] })
            let file = try ImageEncoder.webp([.init(bitmap: bitmap), .init(bitmap: bitmap)], quality: 1)
            let animation = try #require(HalcyonImage(data: file))
            let resize = ResizingImageProcessor(referenceSize: CGSize(width: 32, height: 20))
            let resized = try #require(resize.process(item: .image(animation), options: options()))
            let processor = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
            let small = try #require(processor.process(item: .image(resized), options: options()))
            #expect(small.size == CGSize(width: 16, height: 10))
            let pixels = try small.content.decoded().frames[0].bitmap.pixels
            #expect(try small.content.decoded().frames.count == 1 && pixels.count == 640)
            #expect(stride(from: 3, to: 640, by: 4).allSatisfy { pixels[$0] == 120 }, "a GIF has no such alpha")
        }

        @Test func `a JPEG of twelve million pixels becomes a thumbnail within 10 MB`() async {
            ChildLeaks.areNotCounted()
            await #expect(processExitsWith: .success) {
                let rgba = [UInt8](repeating: 200, count: 4_000 * 3_000 * 4)
                let image = HalcyonImage(rgba: rgba, width: 4_000, height: 3_000)
                let photo = try #require(image?.jpegData(compressionQuality: 0.85))
                let processor = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
                let memory = try PeakMemory(forgettingEarlierPeaks: ())
                let small = try #require(processor.process(item: .data(photo), options: .init([])))
                #expect(small.size == CGSize(width: 200, height: 150))
                #expect(try memory.hasGrown(byLessThan: 10_000_000))
            }
        }

        @Test func `processing invalid data or to an invalid size returns nil`() throws {
            let data = try #require(try image(8, 8).pngData())
            for size in [CGSize.zero, CGSize(width: -1, height: -1), CGSize(width: CGFloat.nan, height: 0)] {
                #expect(DownsamplingImageProcessor(size: size).process(item: .data(data), options: options()) == nil)
                #expect(
                    ResizingImageProcessor(referenceSize: size).process(item: .data(data), options: options()) == nil)
            }
            let size = CGSize(width: 4, height: 4)
            #expect(DownsamplingImageProcessor(size: size).process(item: .data(.blob(1)), options: options()) == nil)
            #expect(
                ResizingImageProcessor(referenceSize: size).process(item: .data(.blob(1)), options: options()) == nil)
        }

        // MARK: Resizing

        @Test(arguments: [
            (ContentMode.none, CGSize(width: 50, height: 50), CGSize(width: 50, height: 50)),
            (.aspectFit, CGSize(width: 50, height: 50), CGSize(width: 50, height: 25)),
            (.aspectFill, CGSize(width: 50, height: 50), CGSize(width: 100, height: 50)),
            (.aspectFit, CGSize(width: 400, height: 100), CGSize(width: 200, height: 100)),
            (.aspectFill, CGSize(width: 400, height: 100), CGSize(width: 400, height: 200)),
            (.aspectFit, CGSize(width: 10, height: 400), CGSize(width: 10, height: 5)),
            (.aspectFill, CGSize(width: 10, height: 400), CGSize(width: 800, height: 400)),
            (.aspectFit, CGSize(width: 200, height: 100), CGSize(width: 200, height: 100)),
        ])
        func `an image fits a size`(mode: ContentMode, reference: CGSize, expected: CGSize) throws {
            let processor = ResizingImageProcessor(referenceSize: reference, mode: mode)
            let resized = processor.process(item: .image(try image(200, 100)), options: options())
            #expect(resized?.size == expected)
            let dense = processor.process(item: .image(try image(400, 200)), options: options(scale: 2))
            #expect(dense?.size == expected && dense?.scale == 2)
        }

        @Test func `a resized pixel is the mean of the pixels it covers`() throws {
            let resized = ResizingImageProcessor(referenceSize: CGSize(width: 2, height: 1))
                .process(item: .image(try image(4, 2)), options: options())
            #expect(resized?.rgba == [1, 1, 1, 255, 3, 1, 3, 255])
        }

        @Test func `all pictures of an animation are resized, with their times`() throws {
            let data = try Pictures.fixture("moving.gif")
            let before = try #require(KingfisherWrapper<HalcyonImage>.image(data: data, options: .init()))
            let after = try #require(
                ResizingImageProcessor(referenceSize: CGSize(width: 3, height: 5))
                    .process(item: .data(data), options: options()))
            #expect(after.images?.count == before.images?.count && after.size == CGSize(width: 3, height: 5))
            #expect(after.cacheCost == 3 * 5 * 4 * (before.images?.count ?? 0), "each picture has pixels of its own")
            #expect(
                after.images?.map(\.duration) == before.images?.map(\.duration) && after.loopCount == before.loopCount)
        }

        @Test func `more pixels than the limit are refused before memory is asked for`() throws {
            let huge = ResizingImageProcessor(referenceSize: CGSize(width: 1e9, height: 1e9))
            #expect(huge.process(item: .image(try image(2, 2)), options: options()) == nil)
            let wide = ResizingImageProcessor(referenceSize: CGSize(width: 1e300, height: 1))
            #expect(wide.process(item: .image(try image(2, 2)), options: options()) == nil)
        }

        // MARK: Decodes at a time

        @Test func `the number of concurrent decodes is limited`() {
            let slots = DecodingSlots()
            slots.limit = 2
            let now = Locked((running: 0, most: 0))
            let done = DispatchGroup()
            for _ in 0..<8 {
                done.enter()
                Thread {
                    slots.withSlot {
                        now.withLock { now in
                            now.running += 1
                            now.most = max(now.most, now.running)
                        }
                        Thread.sleep(forTimeInterval: 0.01)
                        now.withLock { $0.running -= 1 }
                    }
                    done.leave()
                }.start()
            }
            done.wait()
            #expect(now.withLock { $0.most } == 2)
            slots.limit = -5
            #expect(slots.limit == 1 && HalcyonImage.concurrentDecodeLimit >= 1)
            HalcyonImage.concurrentDecodeLimit = HalcyonImage.concurrentDecodeLimit
        }

        /// In its own process, because the limit is global.
        @Test func `a decode waits while the maximum number of decodes run`() async {
            ChildLeaks.areNotCounted()
            await #expect(processExitsWith: .success) {
                HalcyonImage.concurrentDecodeLimit = 1
                let image = try #require(HalcyonImage(data: try Pictures.fixture("alpha.png")))
                let hasDecoded = DispatchSemaphore(value: 0)
                DecodingSlots.shared.withSlot {
                    Thread {
                        try? image.decode()
                        hasDecoded.signal()
                    }.start()
                    #expect(hasDecoded.wait(timeout: .now() + 0.3) == .timedOut)
                    let hasLooked = DispatchSemaphore(value: 0)
                    Thread {
                        #expect(!image.isDecoded)
                        hasLooked.signal()
                    }.start()
                    #expect(hasLooked.wait(timeout: .now() + 10) == .success, "a look does not wait for the decode")
                }
                #expect(hasDecoded.wait(timeout: .now() + 60) == .success && image.isDecoded)
            }
        }
    }
#endif
