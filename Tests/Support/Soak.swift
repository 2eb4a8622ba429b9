internal import Foundation

/// The long form of exhaustive and random tests.
package enum Soak {
    /// `HALCYON_SOAK` is set: tests skip no case.
    package static let isOn = ProcessInfo.processInfo.environment["HALCYON_SOAK"].map { $0 != "0" } ?? false

    /// The number of seeds of a random test: `HALCYON_SEEDS` in the long form.
    package static func seeds(short: Int) -> Int {
        guard isOn else { return short }
        return ProcessInfo.processInfo.environment["HALCYON_SEEDS"].flatMap(Int.init) ?? 100 * short
    }

    /// The cases to try: all of them in the long form, otherwise an even spread that includes the first and the last.
    package static func spread(_ count: Int, short: Int) -> [Int] {
        guard !isOn, count > short, short > 1 else { return Array(0..<max(0, count)) }
        return (0..<short).map { $0 * (count - 1) / (short - 1) }
    }
}
