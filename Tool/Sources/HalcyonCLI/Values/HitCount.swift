/// A number of reads in a table column.
package enum HitCount {
    private static let units = ["k", "M", "G", "T", "P", "E"]

    /// Right-aligned; in thousands, millions and so on if it is too long: `123k`.
    package static func text(_ hits: Int, width: Int) -> String {
        var (text, rest) = (String(hits), hits)
        for unit in units where text.count > width {
            rest /= 1000
            text = "\(rest)\(unit)"
        }
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
