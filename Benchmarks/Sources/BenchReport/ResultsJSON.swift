import Foundation

/// The rows for programs: an array with one object per line. Unknown values have no key.
package struct ResultsJSON {
    package let rows: [ResultRow]

    package init(rows: [ResultRow]) { self.rows = rows }

    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }
}

extension ResultRow: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(op, forKey: "op")
        try object.encode(volume.rawValue, forKey: "volume")
        try object.encodeIfPresent(entries, forKey: "entries")
        try object.encodeIfPresent(bytes, forKey: "bytes")
        try encode(halcyon, "halcyon", to: &object)
        try encode(limit, "limit", to: &object)
        try encode(attribute, "attribute", to: &object)
        try object.encodeIfPresent(limitName, forKey: "limit")
        try object.encodeIfPresent(ratioToLimit.map(rounded), forKey: "ratio_to_limit")
        try object.encodeIfPresent(speedup.map(rounded), forKey: "speedup")
        try object.encodeIfPresent(target?.text(in: unit), forKey: "target")
        try object.encodeIfPresent(isMet, forKey: "met")
        try object.encode(halcyon.rounds, forKey: "rounds")
        if isUnsteady { try object.encode(true, forKey: "unsteady") }
        for (name, value) in extras { try object.encode(rounded(value), forKey: Key(stringValue: name)) }
    }

    private func encode(
        _ figure: Figure?, _ name: String, to object: inout KeyedEncodingContainer<Key>
    ) throws {
        guard let figure else { return }
        try object.encode(rounded(figure.value), forKey: Key(stringValue: "\(name)_\(unit.rawValue)"))
        try object.encodeIfPresent(
            figure.p99.map(rounded), forKey: Key(stringValue: "\(name)_p99_\(unit.rawValue)"))
    }

    /// No clock is more precise.
    private func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

    private struct Key: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init(stringLiteral: String) { stringValue = stringLiteral }
        init?(intValue: Int) { nil }
    }
}
