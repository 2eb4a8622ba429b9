/// A number with a unit, as a user writes it: `1.5 GiB`, `7d`.
struct Quantity {
    let number: Double
    /// Set if the number has no fraction, so that large numbers are not rounded.
    let whole: Int64?
    /// As written; empty if there is none.
    let unit: String

    /// Returns nil unless the text begins with digits, with at most one point among them.
    init?(_ text: String) {
        let text = text.trimmed
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits.first != ".", digits.last != ".", let number = Double(digits) else { return nil }
        self.number = number
        whole = Int64(digits)
        unit = String(text[digits.endIndex...]).trimmed
    }

    /// The number times `factor`; nil if the product overflows.
    func times(_ factor: Int64) -> Int64? {
        if let whole {
            let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
            return overflow ? nil : product
        }
        return Int64(exactly: (number * Double(factor)).rounded())
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
