internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// What is said of a picture, as lines or as an object.
struct PictureFacts {
    private let picture: CachedImage
    private let path: String

    init(_ picture: CachedImage, path: String) {
        self.picture = picture
        self.path = path
    }

    private var width: Int { Int(picture.image.pixelSize.width.rounded()) }
    private var height: Int { Int(picture.image.pixelSize.height.rounded()) }
    private var frames: Int { picture.image.kf.imageFrameCount ?? 1 }
    private var now: Timestamp { Timestamp(Date()) }

    private var expires: String {
        picture.entry.isPinned
            ? "never, it is pinned" : picture.entry.lifetime(at: now).expiresAt.map(DateText.local) ?? "never"
    }

    private var animation: [(String, String)] {
        guard frames > 1 else { return [] }
        let seconds = (picture.image.playingTime * 100).rounded() / 100
        return [("Frames", "\(frames), in \(seconds) s")]
    }

    var lines: String {
        let lines =
            [
                ("Key", TextWidth.printable(picture.entry.key ?? "unknown")), ("Format", picture.format.name),
                ("Pixels", "\(width) × \(height)"),
            ] + animation + [
                ("On disk", ByteSize(picture.entry.size).description),
                ("In memory", ByteSize(Int64(picture.image.cacheCost)).description),
                ("Stored", DateText.local(picture.entry.createdAt)), ("Expires", expires), ("File", path),
            ]
        return lines.map { name, value in name + String(repeating: " ", count: 12 - name.count) + value }
            .joined(separator: "\n")
    }

    var object: JSON {
        .object([
            "key": .string(picture.entry.key), "format": .string(picture.format.name.lowercased()),
            "width": .integer(width), "height": .integer(height), "frames": .integer(frames),
            "durationInMilliseconds": .integer(Int((picture.image.playingTime * 1000).rounded())),
            "size": .integer(picture.entry.size), "cost": .integer(picture.image.cacheCost),
            "created": .string(DateText.iso8601(picture.entry.createdAt)),
            "expires": .string(picture.entry.lifetime(at: now).expiresAt.map(DateText.iso8601)),
            "pinned": .bool(picture.entry.isPinned), "path": .string(path),
        ])
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
