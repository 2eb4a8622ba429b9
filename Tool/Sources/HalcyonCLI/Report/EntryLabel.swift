@_spi(HalcyonTool) package import Halcyon

/// An entry's label for a report that others may read. Keys are private: they may contain tokens, or show what a user has viewed.
package struct EntryLabel: Equatable, Sendable {
    /// nil if the key is not a URL or is not known.
    package let host: String?
    /// The last component of a key that looks like the path of a file, at most 60 characters, without a query; nil for other keys.
    package let file: String?
    /// The first ten digits of a hash; those of the blob's file name if it is a hash.
    package let hash: String
    /// The key, only if requested.
    package let key: String?

    package init(key: String?, fileName: String, showsKey: Bool) {
        host = key.flatMap(KeyOrigin.host(ofKey:))
        file = host == nil ? key.flatMap(Self.lastComponent) : nil
        hash = Self.hash(ofFileName: fileName)
        self.key = showsKey ? key : nil
    }

    package init(_ entry: DiskStorage.EntryInfo, showsKey: Bool) {
        self.init(key: entry.key, fileName: entry.fileName, showsKey: showsKey)
    }

    /// A path begins like one, or ends with the extension of a picture: `otp/482913` and `ann@example.com` are not to be shown.
    /// `file:` is the only scheme of a path: `data:` and others are content or private.
    private static func lastComponent(ofPath key: String) -> String? {
        // By scalars: a combining mark would be one character with the separator before it.
        let isFile = key.unicodeScalars.starts(with: "file:".unicodeScalars)
        let url = key.unicodeScalars.dropFirst(isFile ? "file:".count : 0)
        // A query may contain a token, and so may a fragment. File names with spaces often have a "#".
        let path = url.prefix { $0 != "?" && ($0 != "#" || key.contains(" ")) }
        guard let name = path.split(separator: "/").last, !path.contains(":") else { return nil }
        let suffix = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last.map(String.init)
        let isPath = isFile || ["/", "./", "../", "~/"].contains { path.starts(with: $0.unicodeScalars) }
        guard isPath || pictureExtensions.contains(suffix?.lowercased() ?? "") else { return nil }
        return String(String(name).prefix(60))
    }

    private static let pictureExtensions: Set = [
        "apng", "avif", "bmp", "gif", "heic", "heif", "ico", "jpeg", "jpg", "jxl", "pdf", "png", "svg", "tif", "tiff",
        "webp",
    ]

    /// A file not named by a hash is named by its key.
    private static func hash(ofFileName name: String) -> String {
        if BlobName.isBlobOrLegacyName(name, isHashed: true) { return String(name.prefix(10)) }
        let digits = String(BlobName(text: name).rowID, radix: 16)
        return String((String(repeating: "0", count: 16 - digits.count) + digits).prefix(10))
    }

    /// The label on one line.
    package var text: String { key ?? "\(host ?? file ?? Self.noHost)  \(hash)" }

    package static let noHost = "(no address)"
}
