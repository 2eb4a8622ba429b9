internal import Foundation

/// The numbers beside a chart: a few round ones, from 0 to one that is not less than the largest value.
package struct Scale: Equatable, Sendable {
    /// From 0 on, ascending.
    package let ticks: [Int64]
    /// The last tick, never 0.
    package var top: Int64 { ticks.last ?? 1 }

    /// - Parameter intervals: how many there are about.
    package init(upTo maximum: Int64, intervals: Int = 5) {
        let maximum = max(1, maximum)
        let step = Self.roundStep(Double(maximum) / Double(intervals))
        // What no cache holds may be written in an index all the same: beyond half of the numbers there is one interval.
        guard maximum < .max / 2, step < Double(Int64.max / 4) else {
            ticks = [0, .max]
            return
        }
        let whole = max(1, Int64(step))
        ticks = Array(stride(from: 0, through: (maximum + whole - 1) / whole * whole, by: Int64.Stride(whole)))
    }

    /// 1, 2 or 5 times a power of ten, not less than the number.
    private static func roundStep(_ number: Double) -> Double {
        let power = pow(10, floor(log10(max(1, number))))
        return power * ([1, 2, 5].first { $0 * power >= number } ?? 10)
    }

    /// How far up a value is, from 0 to 1.
    package func share(of value: Int64) -> Double { min(1, max(0, Double(value) / Double(top))) }
}
