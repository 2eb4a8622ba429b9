#if os(Linux)
    import CBareJPEG
    import Foundation
    import Halcyon
    import Workload

    /// Pictures to store, and their decoding with the bare library. Elsewhere the system decodes.
    enum Photo {
        struct Failure: Error {
            let description: String
        }

        /// Gradients with some grain, which compress about like a photo.
        static func jpeg(width: Int, height: Int) throws -> Data {
            var pixels = [UInt8](repeating: 255, count: width * height * 4)
            var randomness = Randomness()
            for y in 0..<height {
                for x in 0..<width {
                    let place = (y * width + x) * 4
                    let grain = UInt8(truncatingIfNeeded: randomness.next() & 15)
                    pixels[place] = UInt8(truncatingIfNeeded: x * 200 / width) &+ grain
                    pixels[place + 1] = UInt8(truncatingIfNeeded: y * 200 / height) &+ grain
                    pixels[place + 2] = UInt8(truncatingIfNeeded: (x ^ y) >> 5) &+ grain
                }
            }
            guard
                let photo = HalcyonImage(rgba: pixels, width: width, height: height)?.jpegData(compressionQuality: 0.85)
            else { throw Failure(description: "no JPEG") }
            return photo
        }

        /// With an EXIF that states a quarter turn.
        static func turned(_ photo: Data) -> Data {
            let tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
            let orientation: [UInt8] = [1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
            let segment = Array("Exif\0\0".utf8) + tiff + orientation
            return photo.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment) + photo.dropFirst(2)
        }

        /// Decodes with libjpeg-turbo alone, scaled to some eighths, and frees the pixels.
        ///
        /// - Returns: its size.
        @discardableResult
        static func decode(_ photo: Data, eighths: UInt32 = 8) -> (width: Int, height: Int) {
            var (width, height): (UInt32, UInt32) = (0, 0)
            let pixels = photo.withUnsafeBytes { bytes in
                bare_jpeg_decode(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, eighths, &width, &height)
            }
            require(pixels != nil)
            free(pixels)
            return (Int(width), Int(height))
        }
    }
#endif
