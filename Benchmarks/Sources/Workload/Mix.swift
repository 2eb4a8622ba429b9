/// The calls of an app, in the same order in each run: of twenty calls, fifteen load a value, three check whether an entry is cached, and
/// two store. Most calls are about a few entries.
package struct Mix {
    package enum Kind: CaseIterable, Sendable { case value, isCached, store }

    package struct Call: Sendable {
        package let kind: Kind
        /// The number of an existing entry.
        package let entry: Int
    }

    private var randomness = Randomness()
    private let zipf: Zipf
    /// The entries by rank: popular ones were neither stored first, nor next to each other.
    private let ranked: [Int]

    private static let deck: [Kind] =
        Array(repeating: .value, count: 15) + Array(repeating: .isCached, count: 3) + Array(repeating: .store, count: 2)

    package init(entries: Int, exponent: Double = 0.9) {
        zipf = Zipf(count: entries, exponent: exponent)
        ranked = (0..<entries).shuffled(using: &randomness)
    }

    /// The next calls, with exact shares of each kind.
    ///
    /// - Parameter count: a multiple of twenty.
    package mutating func calls(_ count: Int) -> [Call] {
        let kinds = repeatElement(Self.deck, count: count / Self.deck.count).joined().shuffled(using: &randomness)
        return kinds.map { Call(kind: $0, entry: ranked[zipf.next(using: &randomness)]) }
    }
}
