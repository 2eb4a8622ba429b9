internal import ArgumentParser

/// A note's name and text: `width=640`.
struct NamedText: Equatable, Sendable {
    let name: String
    let text: String

    /// Parses a command-line argument. Everything after the first `=` is the text.
    @Sendable static func parse(_ argument: String) throws -> NamedText {
        // Not by characters: a text may begin with a combining one.
        let scalars = argument.unicodeScalars
        guard let sign = scalars.firstIndex(of: "="), sign > scalars.startIndex else {
            throw ValidationError("A note is NAME=TEXT, such as width=640.")
        }
        return NamedText(name: String(scalars[..<sign]), text: String(scalars[scalars.index(after: sign)...]))
    }
}
