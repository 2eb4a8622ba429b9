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
            guard eighths < 8, let target = options.targetSize, bitmap.size != target else {
                return DecodedImage(frames: [.init(bitmap: bitmap)])
            }
            let isReversed = header.orientation.isReversed
            let small = try bitmap.scaled(
                to: target,
                columns: extent(of: header.size.width, inEighths: eighths, isReversed: isReversed.columns),
                rows: extent(of: header.size.height, inEighths: eighths, isReversed: isReversed.rows))
            return DecodedImage(frames: [.init(bitmap: small)])
        }

        /// At least twice the target: libjpeg's pixels are sharp squares, and would be of uneven weight among few. Or exactly the target.
        private static func fewestEighths(of size: PixelSize, for target: PixelSize) -> Int {
            let isEnough = { (eighths: Int) in
                // As they are before libjpeg rounds them up: a few pixels would be stretched.
                let (width, height) = (size.width * eighths, size.height * eighths)
                let isTarget = width == target.width * 8 && height == target.height * 8
                let most = PixelSize(
                    width: min(target.width * 2, size.width), height: min(target.height * 2, size.height))
                return isTarget || width >= most.width * 8 && height >= most.height * 8
            }
            return (1...8).first(where: isEnough) ?? 8
        }

        /// Where a side is in the scaled pixels: the last one stored may stand for less than the others.
        private static func extent(of length: Int, inEighths eighths: Int, isReversed: Bool) -> ClosedRange<Double> {
            let exact = Double(length * eighths) / 8
            return isReversed ? exact.rounded(.up) - exact...exact.rounded(.up) : 0...exact
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
