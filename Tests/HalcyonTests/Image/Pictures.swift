import Foundation
import Testing

@testable import Halcyon

/// The demo pictures, the fixtures of the codec tests, and a few small images.
enum Pictures {
    /// Two pixels high, and one pixel wider than its number, so that the size shows if a cache mixes images up.
    ///
    /// Not stored: the address sanitizer reports Data in a global as a leak.
    static var small: [Data] {
        [
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAIAAAAW4yFwAAAADklEQVR4nGO4oyHHAMQACpQCRe6Vp9EAAAAASUVORK5CYII=",
            "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGPQ2GIDRAwQCgAeXgRhk57gaAAAAABJRU5ErkJggg==",
            "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGOQszkBQQxwFgBAEAbNIQytyAAAAABJRU5ErkJggg==",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR4nGP48OEZHDEgcwAg6RYxKieN8AAAAABJRU5ErkJggg==",
        ].map { Data(base64Encoded: $0) ?? Data() }
    }

    static func image(_ number: Int = 0) throws -> KFCrossPlatformImage {
        try image(of: small[number])
    }

    /// Not `KFCrossPlatformImage(data:)`: on macOS that is AppKit's, which the tests do not import.
    static func image(of file: Data) throws -> KFCrossPlatformImage {
        try #require(KingfisherWrapper<KFCrossPlatformImage>.image(data: file, options: .init()))
    }

    static func demo(_ name: String) throws -> Data { try file("Demo/Pictures/\(name)") }
    static func fixture(_ name: String) throws -> Data { try file("Tests/HalcyonImageCodecsTests/Fixtures/\(name)") }

    private static func file(_ path: String) throws -> Data {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        return try Data(contentsOf: package.appendingPathComponent(path))
    }
}

extension KFCrossPlatformImage {
    /// The number of one of ``Pictures/small``.
    var number: Int {
        #if canImport(AppKit)
            Int(kf.size.width) - 1
        #else
            Int(size.width * scale) - 1
        #endif
    }

    /// Whether it was made with a scale of 2. True on macOS, where images have no scale.
    var hasScale2: Bool {
        #if canImport(AppKit)
            true
        #else
            scale == 2
        #endif
    }
}
