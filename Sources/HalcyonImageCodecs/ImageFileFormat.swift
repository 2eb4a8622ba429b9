/// The supported file formats.
package enum ImageFileFormat: String, CaseIterable, Sendable {
    case png, jpeg, gif, webp

    package var name: String { self == .webp ? "WebP" : rawValue.uppercased() }

    /// Detects the format from the first bytes; `nil` if it is not supported.
    package init?(signatureOf bytes: some Sequence<UInt8>) {
        let start = Array(bytes.prefix(12))
        if start.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] {
            self = .png
        } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if start.starts(with: "RIFF".utf8), start.dropFirst(8).elementsEqual("WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
