/// The place of the files.
package enum VolumeKind: String, Sendable {
    case disk, tmpfs
    /// No files at all.
    case memory
}

/// One operation at one size, as measured in one run.
package struct ResultRow: Equatable, Sendable {
    package var op: String
    package var volume: VolumeKind
    package var entries: Int?
    /// Of a blob.
    package var bytes: Int?
    package var unit = FigureUnit.microseconds
    package var halcyon: Figure
    package var limit: Figure?
    /// A description of the limit.
    package var limitName: String?
    package var attribute: Figure?
    package var target: Target?
    /// Other values that explain the figure, by their names in the JSON.
    package var extras: [String: Double] = [:]

    package init(_ op: String, on volume: VolumeKind, entries: Int? = nil, bytes: Int? = nil, halcyon: Figure) {
        self.op = op
        self.volume = volume
        self.entries = entries
        self.bytes = bytes
        self.halcyon = halcyon
    }

    package var ratioToLimit: Double? { ratio(halcyon, to: limit) }

    /// The time of the file-attribute backend as a multiple.
    package var speedup: Double? { attribute.flatMap { ratio($0, to: halcyon) } }

    package var isMet: Bool? {
        target?.isMet(by: halcyon.value, limit: limit?.value, attribute: attribute?.value)
    }

    package var isUnsteady: Bool { [halcyon, limit, attribute].contains { $0?.isUnsteady == true } }

    private func ratio(_ figure: Figure, to other: Figure?) -> Double? {
        guard let other, other.value > 0 else { return nil }
        return figure.value / other.value
    }
}
