internal import ArgumentParser

/// The seconds for which an HTTP response is fresh, or nil.
struct MaxAge: Equatable, Sendable {
    let seconds: Int?

    /// Parses a command-line argument.
    @Sendable static func parse(_ text: String) throws -> MaxAge {
        if text.isEmpty { return MaxAge(seconds: nil) }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let seconds = Int(text) else {
            throw ValidationError("Give a whole number of seconds, such as 3600.")
        }
        return MaxAge(seconds: seconds)
    }
}
