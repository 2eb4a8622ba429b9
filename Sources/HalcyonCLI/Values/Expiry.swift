internal import ArgumentParser
package import Halcyon

/// How long an entry lives, as people write it: `7d`, `12h`, `30m`, `90s`, `never`.
package enum Expiry {
    private static let secondsOfUnit: [String: Double] = [
        "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]

    /// nil for anything else, and for what is not longer than nothing.
    package static func expiration(_ text: String) -> StorageExpiration? {
        if text.lowercased() == "never" { return .never }
        guard let quantity = Quantity(text), let factor = secondsOfUnit[quantity.unit], quantity.number > 0 else {
            return nil
        }
        return .seconds(quantity.number * factor)
    }

    /// For arguments.
    @Sendable package static func parse(_ text: String) throws -> StorageExpiration {
        guard let expiration = expiration(text) else {
            throw ValidationError("A time to live is a number with a unit, as in 7d, 12h, 30m or 90s, or never.")
        }
        return expiration
    }
}
