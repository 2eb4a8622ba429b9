internal import ArgumentParser
@_spi(HalcyonTool) package import Halcyon

/// An entry's time to live, as a user writes it: `7d`, `12h`, `30m`, `90s`, `never`.
package enum Expiry {
    /// Returns nil for any other text, and for a time that is not positive.
    package static func expiration(_ text: String) -> StorageExpiration? {
        if text.lowercased() == "never" { return .never }
        return Age(text).map { .seconds($0.seconds) }
    }

    /// Parses a command-line argument.
    @Sendable package static func parse(_ text: String) throws -> StorageExpiration {
        guard let expiration = expiration(text) else {
            throw ValidationError("A time to live is a number with a unit, as in 7d, 12h, 30m or 90s, or never.")
        }
        return expiration
    }
}
