internal import Foundation

/// Metadata as the index keeps them: a JSON object of texts, which `sqlite3` can take apart with `json_extract`.
enum MetadataText {
    /// nil for none.
    static func text(of metadata: [String: String]) throws -> String? {
        guard !metadata.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(metadata), as: UTF8.self)
    }

    /// Anybody may have edited the index: what is no object of texts is none.
    static func metadata(of text: String?) -> [String: String] {
        guard let text else { return [:] }
        return (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
    }
}
