#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    /// Calls the C layer and converts its errors.
    enum ShimCall {
        /// Throws the error that `call` reports.
        static func check(
            _ format: ImageFileFormat, _ call: (inout halcyon_image_error) -> Int32
        ) throws {
            var error = halcyon_image_error()
            guard call(&error) != 0 else { return }
            throw ImageCodecError(error, format: format)
        }

        /// A bitmap of this size that `call` fills. Stored pixels are turned upright as they are written.
        static func decode(
            _ format: ImageFileFormat, size: PixelSize, _ orientation: ImageOrientation,
            _ call: (inout halcyon_canvas, inout halcyon_image_error) -> Int32
        ) throws -> Bitmap {
            let walk = orientation.walk(upright: size)
            return try Bitmap(size: size) { pixels in
                var canvas = halcyon_canvas(pixels: pixels, start: walk.start, column: walk.column, row: walk.row)
                try check(format) { call(&canvas, &$0) }
            }
        }

        /// Passes a bitmap in the form that the encoders expect, row by row.
        static func withPicture<Result>(
            of bitmap: Bitmap, _ body: (halcyon_picture) throws -> Result
        ) rethrows -> Result {
            try withUnsafePointer(to: bitmap) { bitmap in
                let picture = halcyon_picture(
                    width: UInt32(bitmap.pointee.width), height: UInt32(bitmap.pointee.height), context: bitmap
                ) { context, y, row in
                    guard let context, let row else { return }
                    context.assumingMemoryBound(to: Bitmap.self).pointee.copyRow(Int(y), to: row)
                }
                return try body(picture)
            }
        }

        /// The bytes that `call` writes. The returned data owns them.
        static func encode(
            _ format: ImageFileFormat, _ call: (inout halcyon_image_bytes, inout halcyon_image_error) -> Int32
        ) throws -> Data {
            var encoded = halcyon_image_bytes()
            var error = halcyon_image_error()
            guard call(&encoded, &error) == 0, let bytes = encoded.bytes else {
                throw ImageCodecError(encoding: error, format: format)
            }
            return Data(bytesNoCopy: bytes, count: encoded.count, deallocator: .free)
        }
    }

    extension halcyon_image_error {
        var reason: String {
            withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    extension ImageCodecError {
        init(_ error: halcyon_image_error, format: ImageFileFormat) {
            switch Int(error.code) {
            case HALCYON_IMAGE_TRUNCATED: self = .truncated(format)
            case HALCYON_IMAGE_UNSUPPORTED: self = .unsupported(format, reason: error.reason)
            case HALCYON_IMAGE_NO_MEMORY: self = .noMemory
            default: self = .malformed(format, reason: error.reason)
            }
        }

        init(encoding error: halcyon_image_error, format: ImageFileFormat) {
            let isMemory = Int(error.code) == HALCYON_IMAGE_NO_MEMORY
            self = isMemory ? .noMemory : .encodingFailed(format, reason: error.reason)
        }
    }
#endif
