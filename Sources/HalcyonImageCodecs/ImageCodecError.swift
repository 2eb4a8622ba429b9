/// Why a picture could not be read or written. Nothing in it comes from a key or a path.
package enum ImageCodecError: Error, Equatable, CustomStringConvertible {
    /// Neither PNG nor JPEG nor GIF.
    case unknownFormat
    /// The file ends before its pixels do.
    case truncated(ImageFileFormat)
    /// The file contradicts itself or its format.
    case malformed(ImageFileFormat, reason: String)
    /// A legal file of a kind that is not read.
    case unsupported(ImageFileFormat, reason: String)
    /// More pixels than the limits allow, by what the file says; nothing was allocated for them.
    case tooManyPixels(count: Int, limit: Int)
    /// The system has no memory for the pixels now. The file may be a good one.
    case noMemory
    /// The picture does not fit the format.
    case encodingFailed(ImageFileFormat, reason: String)

    package var description: String {
        switch self {
        case .unknownFormat: "neither PNG nor JPEG nor GIF"
        case .truncated(let format): "truncated \(format.name): it ends before its pixels do"
        case .malformed(let format, let reason): "malformed \(format.name): \(reason)"
        case .unsupported(let format, let reason): "unsupported \(format.name): \(reason)"
        case .tooManyPixels(let count, let limit): "\(count) pixels are more than the limit of \(limit)"
        case .noMemory: "there is no memory for its pixels"
        case .encodingFailed(let format, let reason): "could not write \(format.name): \(reason)"
        }
    }
}
