/// What an app does with its cache, in an order that is the same in each run: of twenty calls fifteen ask for a value, three
/// whether something is cached, and two store. A few entries are asked for most of the time.
package struct Mix {
    package enum Kind: CaseIterable, Sendable { case value, isCached, store }

    package struct Call: Sendable {
        package let kind: Kind
        /// The number of one that is there.
        package let entry: Int
    }

    private var randomness = Randomness()
    private let zipf: Zipf
    /// The entries by rank: what is asked for often has not been stored first, nor side by side.
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
