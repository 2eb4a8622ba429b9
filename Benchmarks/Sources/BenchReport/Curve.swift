/// One contestant's figures of an operation over the number of entries.
package struct Curve: Equatable, Sendable {
    package enum Contestant: String, CaseIterable, Sendable {
        case halcyon, limit, attribute

        var title: String {
            switch self {
            case .halcyon: "Halcyon"
            case .limit: "limit"
            case .attribute: "file attributes"
            }
        }
    }

    package struct Point: Equatable, Sendable {
        package let entries: Double
        package let value: Double
    }

    package let contestant: Contestant
    package let volume: VolumeKind
    package let points: [Point]
}

/// The curves of one operation.
package struct CurvePanel: Equatable, Sendable {
    package let title: String
    package let curves: [Curve]

    var points: [Curve.Point] { curves.flatMap(\.points) }

    /// The panels of the rows in their order: one for each operation and blob size that was timed with at least two numbers of entries.
    package static func panels(of rows: [ResultRow]) -> [CurvePanel] {
        let timed = rows.filter { $0.unit == .microseconds && $0.entries != nil }
        var names: [String] = []
        for name in timed.map(title) where !names.contains(name) { names.append(name) }
        return names.compactMap { name in panel(name, of: timed.filter { title(of: $0) == name }) }
    }

    private static func title(of row: ResultRow) -> String {
        guard let bytes = row.bytes else { return row.op }
        return "\(row.op), \(bytes / 1_024) KiB"
    }

    private static func panel(_ title: String, of rows: [ResultRow]) -> CurvePanel? {
        guard Set(rows.compactMap(\.entries)).count > 1 else { return nil }
        var volumes: [VolumeKind] = []
        for volume in rows.map(\.volume) where !volumes.contains(volume) { volumes.append(volume) }
        let curves = volumes.flatMap { volume in
            Curve.Contestant.allCases.compactMap { curve(of: $0, on: volume, in: rows) }
        }
        return CurvePanel(title: title, curves: curves)
    }

    private static func curve(of contestant: Curve.Contestant, on volume: VolumeKind, in rows: [ResultRow]) -> Curve? {
        let points = rows.filter { $0.volume == volume }.compactMap { row -> Curve.Point? in
            guard let entries = row.entries, let figure = figure(of: contestant, in: row) else { return nil }
            return Curve.Point(entries: Double(entries), value: figure.value)
        }
        guard !points.isEmpty else { return nil }
        return Curve(contestant: contestant, volume: volume, points: points.sorted { $0.entries < $1.entries })
    }

    private static func figure(of contestant: Curve.Contestant, in row: ResultRow) -> Figure? {
        switch contestant {
        case .halcyon: row.halcyon
        case .limit: row.limit
        case .attribute: row.attribute
        }
    }
}
