package import Foundation
package import Halcyon

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
    /// What a key has at least; in a narrower terminal the dates are left out.
    private static let keyWidth = 20

    package var header: String { line("SIZE", "LAST USE", "EXPIRES", "KEY") }

    package func line(of entry: DiskStorage.EntryInfo) -> String {
        line(
            ByteSize(entry.size).description, DateText.local(Timestamp(entry.lastAccess)), expiry(of: entry),
            TextWidth.printable(entry.key ?? "(unknown) \(entry.fileName.prefix(12))…"))
    }

    private func line(_ size: String, _ access: String, _ expiry: String, _ key: String) -> String {
        let width = width ?? .max
        var front = padding(size, Self.sizeWidth) + size + "  "
        for date in [access, expiry] where front.count + Self.dateWidth + 2 + Self.keyWidth <= width {
            front += date + padding(date, Self.dateWidth) + "  "
        }
        return front + TextWidth.shortened(key, to: max(1, width - front.count))
    }

    private func padding(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }

    private func expiry(of entry: DiskStorage.EntryInfo) -> String {
        if entry.isExpired(at: now) { return "expired" }
        if entry.isPinned { return "pinned" }
        return entry.expiration.map { DateText.local(Timestamp($0)) } ?? "never"
    }

    package func object(of entry: DiskStorage.EntryInfo) -> JSON {
        .object([
            "key": .string(entry.key), "file": .string(entry.fileName), "size": .integer(entry.size),
            "created": .string(DateText.iso8601(Timestamp(entry.created))),
            "accessed": .string(DateText.iso8601(Timestamp(entry.lastAccess))),
            "expires": .string(entry.expiration.map { DateText.iso8601(Timestamp($0)) }),
            "expired": .bool(entry.isExpired(at: now)), "pinned": .bool(entry.isPinned),
        ])
    }
}
