internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The facts shown about an image, as lines or as a JSON object.
struct PictureFacts {
    private let picture: CachedImage
    private let entry: Entry
    private let key: String
    private let path: String

    /// - Parameter key: the requested one, because the index may not know it.
    init(_ picture: CachedImage, _ entry: Entry, key: String, path: String) {
        self.picture = picture
        self.entry = entry
        self.key = entry.key ?? key
        self.path = path
    }

    private var width: Int { Int(picture.image.pixelSize.width.rounded()) }
    private var height: Int { Int(picture.image.pixelSize.height.rounded()) }
    private var frames: Int { picture.image.kf.imageFrameCount ?? 1 }
    private var now: Timestamp { Timestamp(Date()) }

    private var expires: String {
        entry.isPinned
            ? "never (pinned)" : entry.lifetime(at: now).expiresAt.map(DateText.local) ?? "never"
    }

    private var animation: [(String, String)] {
        guard frames > 1 else { return [("Frames", "1")] }
        let seconds = (picture.image.playingTime * 100).rounded() / 100
        return [("Frames", "\(frames), in \(seconds) s")]
    }

    var lines: String {
        let lines =
            [
                ("Key", TextWidth.printable(key)), ("Format", picture.format),
                ("Pixels", "\(width) × \(height)"),
            ] + animation + [
                ("On disk", ByteSize(entry.size).description),
                ("In memory", ByteSize(Int64(picture.image.cacheCost)).description),
                ("Stored", DateText.local(entry.createdAt)), ("Expires", expires), ("File", TextWidth.printable(path)),
            ]
        return lines.map { name, value in name + String(repeating: " ", count: 12 - name.count) + value }
            .joined(separator: "\n")
    }

    var object: JSON {
        .object([
            "key": .string(key), "format": .string(picture.format.lowercased()),
            "width": .integer(width), "height": .integer(height), "frames": .integer(frames),
            "duration_in_milliseconds": .integer(Int((picture.image.playingTime * 1000).rounded())),
            "size": .integer(entry.size), "cost": .integer(picture.image.cacheCost),
            "created": .string(DateText.iso8601(entry.createdAt)),
            "expires": .string(entry.lifetime(at: now).expiresAt.map(DateText.iso8601)),
            "pinned": .bool(entry.isPinned), "path": .string(path),
        ])
    }
}
