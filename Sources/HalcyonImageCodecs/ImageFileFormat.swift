/// The formats that are read and written.
package enum ImageFileFormat: String, CaseIterable, Sendable {
    case png, jpeg, gif

    package var name: String { rawValue.uppercased() }

    /// By the first bytes, whatever the file is called; `nil` for anything else.
    package init?(signatureOf bytes: some Sequence<UInt8>) {
        let start = Array(bytes.prefix(8))
        if start == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] {
            self = .png
        } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) {
            self = .gif
        } else {
            return nil
        }
    }
}
