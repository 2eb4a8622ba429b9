/// A piece of a page. A text becomes one by being put into a literal, and is escaped there: no text from a cache can become an
/// element, because there is no other way in.
///
/// ```swift
/// let cell: HTML = "<td>\(entry.key)</td>"
/// ```
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    /// Pieces one after the other.
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

    /// Fit for text and for attributes in quotes of either kind. Control characters and marks that turn the direction of
    /// writing are made visible, as in a terminal.
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
