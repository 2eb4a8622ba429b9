internal import Foundation
package import Halcyon

/// An entry as a line of a table or as an object.
package struct EntryRow {
    private let width: Int?
    private let now: Timestamp

    /// - Parameter width: columns of the terminal, to which keys are shortened; nil leaves them whole.
    package init(width: Int?, now: Timestamp) {
        self.width = width
        self.now = now
    }

    /// Rows come one at a time, so the columns' widths are fixed.
    private static let sizeWidth = 9
    private static let dateWidth = 19
    /// What a key has at least; in a narrower terminal the dates are left out.
    private static let keyWidth = 20

    package var header: String { line("SIZE", "LAST USE", "EXPIRES", "KEY") }

    package func line(of entry: Entry) -> String {
        line(
            ByteSize(entry.size).description, DateText.local(entry.accessedAt), expiry(of: entry),
            TextWidth.printable(entry.key ?? "(unknown) \(entry.name.text.prefix(12))…"))
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

    private func expiry(of entry: Entry) -> String {
        let lifetime = entry.lifetime(at: now)
        if lifetime.isExpired(at: now) { return "expired" }
        if entry.isPinned { return "pinned" }
        return lifetime.expiresAt.map(DateText.local) ?? "never"
    }

    package func object(of entry: Entry) -> JSON {
        let lifetime = entry.lifetime(at: now)
        return .object([
            "key": .string(entry.key), "file": .string(entry.name.text), "size": .integer(entry.size),
            "created": .string(DateText.iso8601(entry.createdAt)),
            "accessed": .string(DateText.iso8601(entry.accessedAt)),
            "expires": .string(lifetime.expiresAt.map(DateText.iso8601)),
            "expired": .bool(lifetime.isExpired(at: now)), "pinned": .bool(entry.isPinned),
        ])
    }
}
