#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    /// PNG through libpng: colours exactly as stored, 16 bits scaled to 8.
    enum PNGCodec {
        static func decode(_ bytes: UnsafeRawBufferPointer, header: ImageHeader) throws -> DecodedImage {
            let size = header.storedSize
            let bitmap = try Bitmap(size: size) { pixels in
                try ShimCall.check(.png) { error in
                    halcyon_png_decode(
                        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, UInt32(size.width),
                        UInt32(size.height),
                        pixels.baseAddress, &error)
                }
            }
            return DecodedImage(format: .png, frames: [.init(bitmap: bitmap)])
        }

        /// Without an alpha channel if every pixel is opaque.
        static func encode(_ bitmap: Bitmap) throws -> Data {
            try bitmap.pixels.withUnsafeBufferPointer { pixels in
                try ShimCall.encode(.png) { encoded, error in
                    halcyon_png_encode(
                        pixels.baseAddress, UInt32(bitmap.width), UInt32(bitmap.height), bitmap.isOpaque ? 0 : 1,
                        &encoded,
                        &error)
                }
            }
        }
    }
#endif
