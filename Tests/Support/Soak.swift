internal import Foundation

/// The long form of the tests that try one thing after the other: all of it, for as long as somebody asked for.
package enum Soak {
    /// `HALCYON_SOAK` is set: nothing is left out.
    package static let isOn = ProcessInfo.processInfo.environment["HALCYON_SOAK"].map { $0 != "0" } ?? false

    /// How many seeds a random test tries: `HALCYON_SEEDS` in the long form.
    package static func seeds(short: Int) -> Int {
        guard isOn else { return short }
        return ProcessInfo.processInfo.environment["HALCYON_SEEDS"].flatMap(Int.init) ?? 100 * short
    }

    /// Of so many cases those that are tried: all in the long form, else an even spread of them that includes the first and the
    /// last.
    package static func spread(_ count: Int, short: Int) -> [Int] {
        guard !isOn, count > short, short > 1 else { return Array(0..<max(0, count)) }
        return (0..<short).map { $0 * (count - 1) / (short - 1) }
    }
}
