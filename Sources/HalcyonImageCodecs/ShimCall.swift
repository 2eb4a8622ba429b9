#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    /// Calls of the C layer, with its errors as ours.
    enum ShimCall {
        /// Calls, and throws what `call` notes in the error it is given.
        static func check(
            _ format: ImageFileFormat, _ call: (inout halcyon_image_error) -> Int32
        ) throws {
            var error = halcyon_image_error()
            guard call(&error) != 0 else { return }
            throw ImageCodecError(error, format: format)
        }

        /// The bytes that `call` writes, which are ours from then on.
        static func encode(
            _ format: ImageFileFormat, _ call: (inout halcyon_image_bytes, inout halcyon_image_error) -> Int32
        ) throws -> Data {
            var encoded = halcyon_image_bytes()
            var error = halcyon_image_error()
            guard call(&encoded, &error) == 0, let bytes = encoded.bytes else {
                throw ImageCodecError.encodingFailed(format, reason: error.reason)
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
            default: self = .malformed(format, reason: error.reason)
            }
        }
    }
#endif
