import Foundation

/// Powers of ten along an axis of a chart, from below the smallest value to above the largest one.
package struct LogScale: Equatable, Sendable {
    /// Exponents of ten.
    package let decades: ClosedRange<Int>

    /// nil without a positive value, because others have no logarithm.
    package init?(_ values: some Sequence<Double>) {
        let values = values.filter { $0 > 0 && $0.isFinite }
        guard let least = values.min(), let most = values.max() else { return nil }
        let lower = Int(floor(log10(least)))
        decades = lower...max(lower + 1, Int(ceil(log10(most))))
    }

    package var ticks: [Double] { decades.map { pow(10, Double($0)) } }

    /// The position of a value along the axis, from 0 to 1.
    package func share(of value: Double) -> Double {
        let place = (log10(max(value, .leastNormalMagnitude)) - Double(decades.lowerBound)) / Double(decades.count - 1)
        return min(1, max(0, place))
    }
}
