/// A piece of HTML. Text enters it only by interpolation, which escapes it, so text from a cache can never become markup.
///
/// ```swift
/// let cell: HTML = "<td>\(entry.key)</td>"
/// ```
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    /// Joins pieces with line breaks.
    package init(_ pieces: [HTML]) { text = pieces.map(\.text).joined(separator: "\n") }

    package struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
        package mutating func appendInterpolation(_ pieces: [HTML]) { text += HTML(pieces).text }
        package mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }
        package mutating func appendInterpolation(_ number: Int) { text += String(number) }
    }

    /// Escapes text for element content and for attributes in either kind of quotes. Makes control characters and bidirectional
    /// formatting characters visible, as in a terminal.
    package static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in TextWidth.printable(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
