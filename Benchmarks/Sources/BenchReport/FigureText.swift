import Foundation

/// Figures for readers: about three digits, in a suitable unit.
package enum FigureText {
    package static func text(_ value: Double, _ unit: FigureUnit) -> String {
        switch unit {
        case .microseconds: time(value)
        case .bytes: scaled(value, by: 1_000, ["B", "KB", "MB", "GB"])
        case .factor: factor(value)
        case .count: digits(value)
        }
    }

    package static func factor(_ value: Double) -> String { "\(digits(value)) ×" }

    /// Groups of three digits, separated by a space in every locale.
    package static func count(_ value: Int) -> String {
        value < 1_000 ? "\(value)" : count(value / 1_000) + " " + String(format: "%03d", value % 1_000)
    }

    private static func time(_ microseconds: Double) -> String {
        scaled(microseconds, by: 1_000, ["µs", "ms", "s"])
    }

    private static func scaled(_ value: Double, by step: Double, _ units: [String]) -> String {
        var value = value
        var units = units[...]
        while value >= step, units.count > 1 {
            value /= step
            units.removeFirst()
        }
        return "\(digits(value)) \(units.first ?? "")"
    }

    private static func digits(_ value: Double) -> String {
        let size = abs(value)
        if size == size.rounded() || size >= 1_000, size < 1e12 { return count(Int(size.rounded())) }
        if size < 0.01 { return "< 0.01" }
        return String(format: size < 10 ? "%.2f" : size < 100 ? "%.1f" : "%.0f", value)
    }
}
