internal import ArgumentParser

/// A time span, in the past or future, as a user writes it: `7d`, `12h`, `30m`, `90s`.
package struct Age: Equatable, Sendable {
    package let seconds: Double

    private static let secondsOfUnit: [String: Double] = [
        "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]

    /// Returns nil for any other text, and for a span that is not positive.
    package init?(_ text: String) {
        // "1M" could be a minute, a month or a megabyte.
        guard let quantity = Quantity(text), quantity.unit != "M", quantity.number > 0,
            let factor = Self.secondsOfUnit[quantity.unit.lowercased()]
        else { return nil }
        seconds = quantity.number * factor
    }

    /// Parses a command-line argument.
    @Sendable package static func parse(_ text: String) throws -> Age {
        guard let age = Age(text) else {
            throw ValidationError("An age is a number with a unit, as in 2w, 7d, 12h, 30m (minutes) or 90s.")
        }
        return age
    }
}
