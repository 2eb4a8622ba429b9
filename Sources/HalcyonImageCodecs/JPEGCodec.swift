#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    /// JPEG with libjpeg-turbo. CMYK inks become RGB by multiplication, without a color profile.
    enum JPEGCodec {
        /// Real files have about ten scans. A file with a few bytes per scan could keep a processor busy for hours.
        private static let mostScans: UInt32 = 100

        static func decode(
            _ bytes: UnsafeRawBufferPointer, header: ImageHeader, options: DecodingOptions
        ) throws -> DecodedImage {
            let eighths = options.targetSize.map { fewestEighths(of: header.size, for: $0) } ?? 8
            let scaled = header.storedSize.scaled(toEighths: eighths)
            var size = halcyon_jpeg_size(
                width: UInt32(header.storedSize.width), height: UInt32(header.storedSize.height),
                eighths: UInt32(eighths), scaled_width: UInt32(scaled.width), scaled_height: UInt32(scaled.height),
                most_scans: mostScans)
            let bitmap = try ShimCall.decode(.jpeg, size: header.orientation.upright(scaled), header.orientation) {
                halcyon_jpeg_decode(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &size, &$0, &$1)
            }
            return DecodedImage(frames: [.init(bitmap: bitmap)])
        }

        private static func fewestEighths(of size: PixelSize, for target: PixelSize) -> Int {
            // The last pixel may stand for less than the others. Among few pixels that would stretch the picture visibly.
            let isExact = { (length: Int, eighths: Int) in length * eighths % 8 == 0 || length * eighths > 64 * 8 }
            let isEnough = { (eighths: Int) in
                let scaled = size.scaled(toEighths: eighths)
                return scaled.width >= target.width && scaled.height >= target.height
                    && isExact(size.width, eighths) && isExact(size.height, eighths)
            }
            return (1...8).first(where: isEnough) ?? 8
        }

        /// - Parameter quality: 0 to 1. From 0.9 on each pixel keeps its own color; below that, each 2 × 2 pixels share one.
        static func encode(_ bitmap: Bitmap, quality: Double) throws -> Data {
            let percent = quality.isNaN ? 100 : Int32((min(max(quality, 0), 1) * 100).rounded())
            return try ShimCall.withPicture(of: bitmap) { picture in
                var source = halcyon_jpeg_source(
                    picture: picture, quality: max(percent, 1), has_full_colour: percent >= 90 ? 1 : 0,
                    // Not for a bitmap in tiles: libjpeg would hold the coefficients of the whole image in memory.
                    has_best_codes: bitmap.isInOnePiece ? 1 : 0)
                return try ShimCall.encode(.jpeg) { halcyon_jpeg_encode(&source, &$0, &$1) }
            }
        }
    }

    extension PixelSize {
        /// Rounds up, as libjpeg does.
        fileprivate func scaled(toEighths eighths: Int) -> PixelSize {
            PixelSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
        }
    }
#endif
