import Foundation

/// Draws ranks, low ones most often: rank r has the weight r to the power of minus the exponent.
package struct Zipf {
    /// Of the weights up to each rank.
    private let sums: [Double]

    package init(count: Int, exponent: Double) {
        var sum = 0.0
        sums = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
    }

    /// - Returns: from 0.
    package func next(using generator: inout some RandomNumberGenerator) -> Int {
        guard let total = sums.last else { return 0 }
        return rank(at: Double.random(in: 0..<total, using: &generator))
    }

    /// The first rank whose cumulative weight exceeds that position.
    private func rank(at place: Double) -> Int {
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > place { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
