internal import ArgumentParser

/// A note's name and text: `width=640`.
struct NamedText: Equatable, Sendable {
    let name: String
    let text: String

    /// Parses a command-line argument. Everything after the first `=` is the text.
    @Sendable static func parse(_ argument: String) throws -> NamedText {
        guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
            throw ValidationError("A note is NAME=TEXT, such as width=640.")
        }
        return NamedText(name: String(argument[..<sign]), text: String(argument[argument.index(after: sign)...]))
    }
}
