internal import ArgumentParser
@_spi(HalcyonTool) package import Halcyon

/// How long an entry lives, as people write it: `7d`, `12h`, `30m`, `90s`, `never`.
package enum Expiry {
    /// nil for anything else, and for what is not longer than nothing.
    package static func expiration(_ text: String) -> StorageExpiration? {
        if text.lowercased() == "never" { return .never }
        return Age(text).map { .seconds($0.seconds) }
    }

    /// For arguments.
    @Sendable package static func parse(_ text: String) throws -> StorageExpiration {
        guard let expiration = expiration(text) else {
            throw ValidationError("A time to live is a number with a unit, as in 7d, 12h, 30m or 90s, or never.")
        }
        return expiration
    }
}
