/// A JSON value that keeps the order of its members: the same command prints the same text, and a list can be printed one element
/// at a time.
package enum JSON: Sendable {
    case object(Members)
    case array([JSON])
    case string(String)
    case integer(Int64)
    /// At most three decimals.
    case decimal(Double)
    case bool(Bool)
    case null

    /// Members in order, from a dictionary literal or an array.
    package struct Members: ExpressibleByDictionaryLiteral, Sendable {
        fileprivate let all: [(name: String, value: JSON)]

        package init(_ members: [(name: String, value: JSON)]) { all = members }
        package init(dictionaryLiteral members: (String, JSON)...) { self.init(members.map { (name: $0, value: $1) }) }
    }

    package static func string(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
    package static func integer(_ number: Int) -> JSON { .integer(Int64(number)) }

    package static func optional<Value>(_ value: Value?, _ make: (Value) -> JSON) -> JSON { value.map(make) ?? .null }

    package static func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
    package static func integer(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }

    /// An object of texts, sorted by name.
    package static func texts(_ texts: [String: String]) -> JSON {
        .object(Members(texts.sorted { $0.key < $1.key }.map { (name: $0, value: .string($1)) }))
    }

    /// The text on one line.
    package var compact: String {
        switch self {
        case .object(let members):
            "{\(members.all.map { "\(Self.quoted($0.name)): \($0.value.compact)" }.joined(separator: ", "))}"
        case .array(let elements): "[\(elements.map(\.compact).joined(separator: ", "))]"
        default: scalar
        }
    }

    /// The text with one member or element per line.
    package func indented(_ indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members) where !members.all.isEmpty:
            let lines = members.all.map { "\(inner)\(Self.quoted($0.name)): \($0.value.indented(inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            return "[\n\(elements.map { inner + $0.indented(inner) }.joined(separator: ",\n"))\n\(indent)]"
        default: return compact
        }
    }

    private var scalar: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .integer(let number): String(number)
        case .decimal(let number): Self.text(of: number)
        case .bool(let value): String(value)
        default: "null"
        }
    }

    /// Does not use a formatter, which depends on the user's locale.
    private static func text(of number: Double) -> String {
        // JSON has no infinity.
        guard let thousandths = Int64(exactly: (number * 1000).rounded()) else { return "null" }
        let (whole, rest) = (thousandths.magnitude / 1000, thousandths.magnitude % 1000)
        guard rest > 0 else { return "\(thousandths < 0 ? "-" : "")\(whole)" }
        let digits = String(repeating: "0", count: 3 - String(rest).count) + String(rest)
        let end = digits.reversed().drop { $0 == "0" }
        return "\(thousandths < 0 ? "-" : "")\(whole).\(String(end.reversed()))"
    }

    private static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            // A terminal would obey them.
            case _ where scalar.value <= 0xFFFF && TextWidth.isControl(scalar): result += escaped(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
