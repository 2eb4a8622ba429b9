/// The requirement for a figure.
package enum Target: Equatable, Sendable {
    /// At most this multiple of the limit's figure.
    case ratio(Double)
    /// At most this much more than the limit's figure.
    case overLimit(Double)
    /// At most, in the row's unit.
    case atMost(Double)
    /// At least, in the row's unit.
    case atLeast(Double)
    /// At most this multiple of the figure of the file-attribute backend.
    case ofAttribute(Double)
    /// All of these.
    indirect case all([Target])

    /// nil if there is nothing to compare with.
    package func isMet(by value: Double, limit: Double?, attribute: Double? = nil) -> Bool? {
        switch self {
        case .ratio(let most): limit.map { value <= most * $0 }
        case .overLimit(let most): limit.map { value <= $0 + most }
        case .atMost(let most): value <= most
        case .atLeast(let least): value >= least
        case .ofAttribute(let most): attribute.map { value <= most * $0 }
        case .all(let targets):
            targets.reduce(nil) { met, target in
                let next = target.isMet(by: value, limit: limit, attribute: attribute)
                return met.map { $0 && next != false } ?? next
            }
        }
    }

    package func text(in unit: FigureUnit) -> String {
        switch self {
        case .ratio(let most): "≤ \(FigureText.factor(most))"
        case .overLimit(let most): "≤ limit + \(FigureText.text(most, unit))"
        case .atMost(let most): "≤ \(FigureText.text(most, unit))"
        case .atLeast(let least): "≥ \(FigureText.text(least, unit))"
        case .ofAttribute(let most): "≤ \(FigureText.factor(most)) attributes"
        case .all(let targets): targets.map { $0.text(in: unit) }.joined(separator: ", ")
        }
    }
}
