/// A number of reads in a column of a table.
package enum HitCount {
    private static let units = ["k", "M", "G", "T", "P", "E"]

    /// To the right of the column; in thousands, or thousands of them, where it is too long: `123k`.
    package static func text(_ hits: Int, width: Int) -> String {
        var (text, rest) = (String(hits), hits)
        for unit in units where text.count > width {
            rest /= 1000
            text = "\(rest)\(unit)"
        }
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
