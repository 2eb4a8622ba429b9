internal import ArgumentParser

/// A number of bytes as users read and write it: decimal units (`50MB`) and binary ones (`1.5 GiB`).
package struct ByteSize: Equatable, Sendable, CustomStringConvertible {
    package let bytes: Int64

    package init(_ bytes: Int64) { self.bytes = bytes }

    /// Returns nil unless the text is a number with a unit. The default unit is `B`.
    package init?(_ text: String) {
        guard let quantity = Quantity(text), let factor = Self.factor(of: quantity.unit.lowercased()),
            let bytes = quantity.times(factor)
        else { return nil }
        self.bytes = bytes
    }

    private static let units = ["k", "m", "g", "t", "p", "e"]

    private static func factor(of unit: String) -> Int64? {
        if unit.isEmpty || unit == "b" { return 1 }
        guard let power = units.firstIndex(of: String(unit.prefix(1))) else { return nil }
        switch unit.dropFirst() {
        case "", "b": return (0...power).reduce(1) { factor, _ in factor * 1000 }
        case "i", "ib": return (0...power).reduce(1) { factor, _ in factor * 1024 }
        default: return nil
        }
    }

    /// One decimal, in decimal units: `4.4 MB`.
    package var description: String {
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var (factor, power) = (Int64(1000), 0)
        while tenths(of: factor) >= 10_000, power < Self.units.count - 1 {
            (factor, power) = (factor * 1000, power + 1)
        }
        let (tenths, unit) = (tenths(of: factor), power == 0 ? "kB" : "\(Self.units[power].uppercased())B")
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    private func tenths(of factor: Int64) -> Int64 {
        bytes / (factor / 10) + (bytes % (factor / 10) >= factor / 20 ? 1 : 0)
    }

    /// Parses a command-line argument.
    @Sendable package static func parse(_ text: String) throws -> ByteSize {
        guard let size = ByteSize(text) else {
            throw ValidationError("A size is a number with a unit, as in 50MB, 1.5GiB or 800k, below 9.2EB.")
        }
        return size
    }
}
