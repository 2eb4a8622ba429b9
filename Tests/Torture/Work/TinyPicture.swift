import Foundation
import Halcyon

/// The smallest image that the facade can store.
enum TinyPicture {
    /// A PNG of one pixel.
    static var file: Data {
        let text = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        return Data(base64Encoded: text) ?? Data()
    }

    static func make() throws -> KFCrossPlatformImage {
        guard let image = KingfisherWrapper<KFCrossPlatformImage>.image(data: file, options: .init()) else {
            throw Trouble("cannot decode the one-pixel picture")
        }
        return image
    }
}
