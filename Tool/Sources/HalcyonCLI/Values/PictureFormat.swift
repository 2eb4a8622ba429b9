internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// A format that pictures can be written in.
enum PictureFormat: String, ExpressibleByArgument, CaseIterable {
    case png, jpeg, gif

    init?(argument: String) {
        let name = argument.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    var imageFormat: ImageFormat {
        switch self {
        case .png: .PNG
        case .jpeg: .JPEG
        case .gif: .GIF
        }
    }
}
