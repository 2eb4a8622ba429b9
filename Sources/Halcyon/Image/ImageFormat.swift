internal import Foundation

/// The format of image data, detected from its first bytes.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum ImageFormat: Sendable {
    /// Another format, or too short to tell.
    case unknown
    /// Portable Network Graphics.
    case PNG
    /// JPEG.
    case JPEG
    /// Graphics Interchange Format, with one or more pictures.
    case GIF
}

extension ImageFormat {
    /// Detects the signatures of ISO/IEC 15948 (PNG), ITU-T T.81 (JPEG) and the GIF specification. Eight bytes or fewer are not
    /// an image.
    init(_ data: Data) {
        let signatures: [(format: ImageFormat, bytes: [UInt8])] = [
            (.PNG, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.JPEG, [0xFF, 0xD8, 0xFF]),
            (.GIF, [0x47, 0x49, 0x46]),
        ]
        let match = signatures.first { data.count > 8 && data.starts(with: $0.bytes) }
        self = match?.format ?? .unknown
    }
}

extension Data {
    /// Per the container specification. The name of the first chunk is not checked.
    var isWebP: Bool { count > 12 && starts(with: "RIFF".utf8) && dropFirst(8).starts(with: "WEBP".utf8) }
}
