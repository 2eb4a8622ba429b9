@_spi(HalcyonTool) package import Halcyon

/// An entry's name for others' eyes. Keys are private: they may hold tokens, and say what somebody has looked at.
package struct EntryLabel: Equatable, Sendable {
    /// nil for a key that is no address, or is not known.
    package let host: String?
    /// Ten digits of a hash: those that the blob's file name begins with, where it is one.
    package let hash: String
    /// Only if it was asked for.
    package let key: String?

    package init(key: String?, fileName: String, showsKey: Bool) {
        host = key.flatMap(KeyOrigin.host(ofKey:))
        hash = Self.hash(ofFileName: fileName)
        self.key = showsKey ? key : nil
    }

    package init(_ entry: DiskStorage.EntryInfo, showsKey: Bool) {
        self.init(key: entry.key, fileName: entry.fileName, showsKey: showsKey)
    }

    /// A file that is not named by a hash is named by its key.
    private static func hash(ofFileName name: String) -> String {
        if BlobName.isBlobOrLegacyName(name, isHashed: true) { return String(name.prefix(10)) }
        let digits = String(BlobName(text: name).rowID, radix: 16)
        return String((String(repeating: "0", count: 16 - digits.count) + digits).prefix(10))
    }

    /// On one line.
    package var text: String { key ?? "\(host ?? Self.noHost)  \(hash)" }

    package static let noHost = "(no address)"
}
