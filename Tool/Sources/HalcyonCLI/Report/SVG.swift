/// Lengths for the charts. Horizontal positions are fractions of the width, so that text keeps its size on every screen.
enum SVG {
    /// A fraction of the width, as `43.25%`.
    static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        let rest = hundredths % 100
        return rest == 0 ? "\(hundredths / 100)%" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }

    /// Pixels, as `12.5`.
    static func pixels(_ length: Double) -> String {
        let tenths = Int((length * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
