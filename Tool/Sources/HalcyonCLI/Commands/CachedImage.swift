internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The image in an entry's bytes.
struct CachedImage {
    let image: KFCrossPlatformImage
    /// The format's name for display: PNG, JPEG, GIF, WebP or unknown.
    let format: String

    /// Decodes on this thread.
    ///
    /// - Throws: ``Failure`` if the bytes are not an image.
    init(_ data: Data) throws {
        let file = DefaultCacheSerializer.default.image(with: data, options: .init(nil))
        guard let image = file?.decodedForDisplay() else { throw Self.noPicture(data) }
        self.image = image
        format = data.kf.isWebP ? "WebP" : data.kf.imageFormat.name
    }

    private static func noPicture(_ data: Data) -> Failure {
        #if os(Linux)
            let reason = ImageDecodingError(decoding: data)?.description ?? "The image cannot be decoded."
        #else
            let reason = "The system cannot decode it."
        #endif
        return Failure("\(reason) To get its bytes, use ‘halcyon get’ without --as.")
    }
}

extension ImageFormat {
    fileprivate var name: String {
        switch self {
        case .PNG: "PNG"
        case .JPEG: "JPEG"
        case .GIF: "GIF"
        case .unknown: "unknown"
        }
    }
}
