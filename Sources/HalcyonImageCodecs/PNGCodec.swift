#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    /// PNG with libpng: colors exactly as stored, 16 bits scaled to 8.
    enum PNGCodec {
        static func decode(_ bytes: UnsafeRawBufferPointer, header: ImageHeader) throws -> DecodedImage {
            let size = header.storedSize
            let bitmap = try ShimCall.decode(.png, size: header.size, header.orientation) {
                halcyon_png_decode(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, UInt32(size.width), UInt32(size.height),
                    &$0,
                    &$1)
            }
            return DecodedImage(frames: [.init(bitmap: bitmap)])
        }

        /// Omits the alpha channel if every pixel is opaque.
        static func encode(_ bitmap: Bitmap) throws -> Data {
            try ShimCall.withPicture(of: bitmap) { picture in
                var picture = picture
                let hasAlpha: Int32 = bitmap.isOpaque ? 0 : 1
                return try ShimCall.encode(.png) { halcyon_png_encode(&picture, hasAlpha, &$0, &$1) }
            }
        }
    }
#endif
