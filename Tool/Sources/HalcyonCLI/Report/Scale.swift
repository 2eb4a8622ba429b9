internal import Foundation

/// The axis labels of a chart: a few round numbers from 0 to at least the largest value.
package struct Scale: Equatable, Sendable {
    /// Ascending from 0.
    package let ticks: [Int64]
    /// The last tick, never 0.
    package var top: Int64 { ticks.last ?? 1 }

    /// - Parameter intervals: the approximate number of intervals.
    package init(upTo maximum: Int64, intervals: Int = 5) {
        let maximum = max(1, maximum)
        let step = Self.roundStep(Double(maximum) / Double(intervals))
        // An edited index may contain impossibly large numbers. Above half of the integer range, use one interval.
        guard maximum < .max / 2, step < Double(Int64.max / 4) else {
            ticks = [0, .max]
            return
        }
        let whole = max(1, Int64(step))
        ticks = Array(stride(from: 0, through: (maximum + whole - 1) / whole * whole, by: Int64.Stride(whole)))
    }

    /// 1, 2 or 5 times a power of ten, at least as large as the number.
    private static func roundStep(_ number: Double) -> Double {
        let power = pow(10, floor(log10(max(1, number))))
        return power * ([1, 2, 5].first { $0 * power >= number } ?? 10)
    }

    /// The height of a value on the scale, from 0 to 1.
    package func share(of value: Int64) -> Double { min(1, max(0, Double(value) / Double(top))) }
}
