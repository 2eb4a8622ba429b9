@_spi(HalcyonTool) internal import Halcyon

/// What somebody has noted of an entry's bytes, as lines or as members of an object.
struct NotedFacts {
    private let validators: DiskStorage.HTTPValidators
    private let metadata: [String: String]

    init(_ entry: DiskStorage.EntryInfo) {
        validators = entry.validators ?? .init()
        metadata = entry.metadata
    }

    /// Names in a column of their own.
    var lines: [String] { facts.isEmpty ? ["nothing is noted"] : Self.columns(facts) }

    var facts: [(String, String)] {
        let headers = [
            ("ETag", validators.etag), ("Last-Modified", validators.lastModified),
            ("Max-Age", validators.maxAge.map { "\($0) s" }),
        ]
        return headers.compactMap { name, text in text.map { (name, $0) } }
            + metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static func columns(_ facts: [(String, String)]) -> [String] {
        facts.map { name, text in
            let name = TextWidth.printable(name)
            let padding = String(repeating: " ", count: max(0, 13 - TextWidth.columns(of: name)))
            return "\(name)\(padding)  \(TextWidth.printable(text))"
        }
    }

    var members: [(name: String, value: JSON)] {
        [
            ("etag", .string(validators.etag)), ("last_modified", .string(validators.lastModified)),
            ("max_age", .integer(validators.maxAge)), ("metadata", .texts(metadata)),
        ]
    }
}
