internal import Foundation

/// The form of metadata in the index: a JSON object of strings, which `sqlite3` can read with `json_extract`.
enum MetadataText {
    /// nil for none.
    static func text(of metadata: [String: String]) throws -> String? {
        guard !metadata.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(metadata), as: UTF8.self)
    }

    /// Returns none for anything but an object of strings: another program may have edited the index.
    static func metadata(of text: String?) -> [String: String] {
        guard let text else { return [:] }
        return (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
    }
}
