/// Why an image could not be read or written. Contains no keys or paths.
package enum ImageCodecError: Error, Equatable, CustomStringConvertible {
    /// The data is not PNG, JPEG, GIF or WebP.
    case unknownFormat
    /// The file ends before its pixels do.
    case truncated(ImageFileFormat)
    /// The file contradicts itself or its format.
    case malformed(ImageFileFormat, reason: String)
    /// A valid file that uses an unsupported feature.
    case unsupported(ImageFileFormat, reason: String)
    /// The file claims more pixels than the limits allow. No memory was allocated for them.
    case tooManyPixels(count: Int, limit: Int)
    /// The system has no memory for the pixels now. The file may be valid.
    case noMemory
    /// The format cannot represent the image.
    case encodingFailed(ImageFileFormat, reason: String)

    package var description: String {
        switch self {
        case .unknownFormat: "neither PNG nor JPEG nor GIF nor WebP"
        case .truncated(let format): "truncated \(format.name): it ends before its pixels do"
        case .malformed(let format, let reason): "malformed \(format.name): \(reason)"
        case .unsupported(let format, let reason): "unsupported \(format.name): \(reason)"
        case .tooManyPixels(let count, let limit): "\(count) pixels are more than the limit of \(limit)"
        case .noMemory: "there is no memory for its pixels"
        case .encodingFailed(let format, let reason): "could not write \(format.name): \(reason)"
        }
    }
}
