#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import Testing

    @Suite struct DemoPictureTests {
        /// As documented in `Demo/Pictures/SOURCES.md`.
        private static let pictures: [(name: String, width: Int, height: Int, frames: Int)] = [
            ("astronaut.png", 512, 512, 1), ("brick-wall.png", 512, 512, 1), ("cameraman.png", 512, 512, 1),
            ("cell.png", 550, 660, 1), ("chelsea-cat.png", 451, 300, 1), ("clock-motion.png", 400, 300, 1),
            ("coffee-cup.png", 600, 400, 1), ("horse-silhouette.png", 400, 328, 1),
            ("dogs-at-window.jpg", 2056, 3088, 1), ("fig-in-bowl.jpg", 2572, 1740, 1), ("flower.jpg", 640, 427, 1),
            ("hubble-deep-field.jpg", 1000, 872, 1), ("rocket-launch.jpg", 640, 427, 1),
            ("temple-china.jpg", 640, 427, 1), ("desert.gif", 480, 360, 1), ("flowers.gif", 480, 360, 1),
            ("night-city.gif", 480, 360, 1), ("terminal-examples.gif", 800, 460, 21),
            ("terminal-intro.gif", 800, 480, 48), ("rocket-launch.webp", 640, 427, 1),
            ("terminal-intro.webp", 800, 480, 48),
        ]

        @Test(arguments: pictures)
        func `each demo picture has the documented size and number of frames`(
            name: String, width: Int, height: Int, frames: Int
        ) throws {
            let data = try Samples.picture(name)
            let header = try ImageHeader(data: data)
            #expect(header.size == PixelSize(width: width, height: height) && header.frameCount == frames)
            let image = try ImageDecoder.decode(data)
            #expect(image.size == header.size && image.frames.count == frames)
            // More than one color: a decoder that does nothing would leave only one.
            for bytes in image.frames.map(\.bitmap.bytes) { #expect(bytes.contains { $0 != bytes[0] }) }
        }

        @Test func `a thumbnail of a large picture takes little memory and looks the same`() throws {
            var options = DecodingOptions()
            options.targetSize = PixelSize(width: 100, height: 150)
            let image = try ImageDecoder.decode(Samples.picture("dogs-at-window.jpg"), options: options)
            #expect(image.size == PixelSize(width: 100, height: 150))
            let thumbnail = image.frames[0].bitmap
            #expect(thumbnail.isOpaque && Set(thumbnail.fields).count == 4)
        }
    }
#endif
