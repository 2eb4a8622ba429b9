package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// An entry as a line of a table or as an object.
package struct EntryRow {
    private let width: Int?
    private let now: Date

    /// - Parameter width: columns of the terminal, to which keys are shortened; nil leaves them whole.
    package init(width: Int?, now: Date) {
        self.width = width
        self.now = now
    }

    /// Rows come one at a time, so the columns' widths are fixed.
    private static let sizeWidth = 9
    private static let dateWidth = 19
    private static let hitsWidth = 5
    /// What a key has at least; in a narrower terminal the columns before it are left out, from the right.
    private static let keyWidth = 20

    package var header: String { line("SIZE", "LAST USE", "EXPIRES", " HITS", "KEY") }

    package func line(of entry: DiskStorage.EntryInfo) -> String {
        line(
            ByteSize(entry.size).description, DateText.local(Timestamp(entry.lastAccess)), expiry(of: entry),
            HitCount.text(entry.hits, width: Self.hitsWidth),
            TextWidth.printable(entry.key ?? "(unknown) \(entry.fileName.prefix(12))…"))
    }

    private func line(_ size: String, _ access: String, _ expiry: String, _ hits: String, _ key: String) -> String {
        let width = width ?? .max
        var front = padding(size, Self.sizeWidth) + size + "  "
        for (text, columns) in [(access, Self.dateWidth), (expiry, Self.dateWidth), (hits, Self.hitsWidth)] {
            guard front.count + columns + 2 + Self.keyWidth <= width else { break }
            front += text + padding(text, columns) + "  "
        }
        return front + TextWidth.shortened(key, to: max(1, width - front.count))
    }

    private func padding(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }

    /// A date, or a word for none.
    func expiry(of entry: DiskStorage.EntryInfo) -> String {
        if entry.isExpired(at: now) { return "expired" }
        if entry.isPinned { return "pinned" }
        return entry.expiration.map { DateText.local(Timestamp($0)) } ?? "never"
    }

    /// - Parameter key: what the person typed, where the index may not know it.
    package func object(of entry: DiskStorage.EntryInfo, key: String? = nil) -> JSON {
        .object([
            "key": .string(entry.key ?? key), "file": .string(entry.fileName), "size": .integer(entry.size),
            "created": .string(DateText.iso8601(Timestamp(entry.created))),
            "accessed": .string(DateText.iso8601(Timestamp(entry.lastAccess))),
            "expires": .string(entry.expiration.map { DateText.iso8601(Timestamp($0)) }),
            "expired": .bool(entry.isExpired(at: now)), "pinned": .bool(entry.isPinned),
            "base_key": .string(entry.baseKey), "processor": .string(entry.processorIdentifier),
            "hits": .integer(entry.hits), "tags": .strings(entry.tags), "allocated": .integer(entry.allocatedSize),
            "etag": .string(entry.validators?.etag), "last_modified": .string(entry.validators?.lastModified),
            "max_age": .integer(entry.validators?.maxAge), "metadata": .texts(entry.metadata),
        ])
    }
}
