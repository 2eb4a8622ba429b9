package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// An entry as a table row or a JSON object.
package struct EntryRow {
    private let width: Int?
    private let now: Date

    /// - Parameter width: the terminal's columns, to which keys are shortened; nil to keep them whole.
    package init(width: Int?, now: Date) {
        self.width = width
        self.now = now
    }

    /// Rows are printed one at a time, so the column widths are fixed.
    private static let sizeWidth = 9
    private static let dateWidth = 19
    private static let hitsWidth = 5
    /// The minimum width of a key. A narrower terminal drops the columns before it, from the right.
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

    /// The expiration date, or a word if there is none.
    func expiry(of entry: DiskStorage.EntryInfo) -> String {
        if entry.isExpired(at: now) { return "expired" }
        if entry.isPinned { return "pinned" }
        return entry.expiration.map { DateText.local(Timestamp($0)) } ?? "never"
    }

    /// - Parameter key: the key that the user typed, which the index may not know.
    package func object(of entry: DiskStorage.EntryInfo, key: String? = nil) -> JSON {
        let members: [(name: String, value: JSON)] = [
            ("key", .string(entry.key ?? key)), ("file", .string(entry.fileName)), ("size", .integer(entry.size)),
            ("created", .string(DateText.iso8601(Timestamp(entry.created)))),
            ("accessed", .string(DateText.iso8601(Timestamp(entry.lastAccess)))),
            ("expires", .string(entry.expiration.map { DateText.iso8601(Timestamp($0)) })),
            ("keeps_expiration", .bool(entry.keepsExpiration)), ("expired", .bool(entry.isExpired(at: now))),
            ("pinned", .bool(entry.isPinned)),
            ("base_key", .string(entry.baseKey)), ("processor", .string(entry.processorIdentifier)),
            ("hits", .integer(entry.hits)), ("tags", .strings(entry.tags)),
            ("allocated", .integer(entry.allocatedSize)),
        ]
        return .object(.init(members + NotedFacts(entry).members))
    }
}
