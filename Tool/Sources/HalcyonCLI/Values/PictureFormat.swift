internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// A format for writing images.
enum PictureFormat: String, ExpressibleByArgument, CaseIterable {
    case png, jpeg, gif, webp

    init?(argument: String) {
        let name = argument.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    /// Encodes an image in this format; nil if the format cannot represent it.
    func data(of image: KFCrossPlatformImage, quality: Double) -> Data? {
        switch self {
        case .png: image.kf.pngRepresentation()
        case .jpeg: image.kf.jpegRepresentation(compressionQuality: quality)
        case .gif: image.kf.data(format: .GIF)
        case .webp: image.kf.webpRepresentation(compressionQuality: quality)
        }
    }

    /// Why an image could not be written in this format.
    var refusal: String {
        #if canImport(UIKit) || canImport(AppKit)
            if self == .webp {
                return "This system has no encoder for WebP. Give another format, or convert "
                    + "it on Linux."
            }
        #endif
        return "The picture does not fit into a \(rawValue). Give another format."
    }

    var hasQuality: Bool { self == .jpeg || self == .webp }
}
