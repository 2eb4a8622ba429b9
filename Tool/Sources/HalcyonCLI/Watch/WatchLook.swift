@_spi(HalcyonTool) package import Halcyon

/// One look at a cache, compared with the previous one.
package struct WatchLook: Sendable {
    package enum State: Sendable {
        case seen(IndexSnapshot)
        /// There is no cache, either not yet or not any more.
        case missing
        /// The reason why the cache cannot be read now.
        case unreadable(String)
    }

    /// Activity per second since the previous look.
    package struct Rates: Equatable, Sendable {
        package var hits: Double
        package var misses: Double
        package var stores: Double
        package var evictions: Double

        package init(hits: Double, misses: Double, stores: Double, evictions: Double) {
            self.hits = hits
            self.misses = misses
            self.stores = stores
            self.evictions = evictions
        }
    }

    package var at: Timestamp
    package var state: State
    /// nil for the first look, or if the counters were reset.
    package var rates: Rates?
    /// The hosts at this look or an earlier one, because reading them takes longer than the rest.
    package var hosts: [IndexSnapshot.Host]?

    package init(at: Timestamp, state: State, rates: Rates? = nil, hosts: [IndexSnapshot.Host]? = nil) {
        self.at = at
        self.state = state
        self.rates = rates
        self.hosts = hosts
    }
}

extension WatchLook.Rates {
    /// Returns nil if the two snapshots count from different starting points.
    package init?(from old: IndexSnapshot, to new: IndexSnapshot, seconds: Double) {
        guard old.since == nil || old.since == new.since, seconds > 0 else { return nil }
        func rate(_ path: KeyPath<DiskStorage.Statistics.Counts, Int64>) -> Double {
            Double(new.counts[keyPath: path]) - Double(old.counts[keyPath: path])
        }
        let differences = [rate(\.hits), rate(\.misses), rate(\.stores), rate(\.evictions)]
        guard differences.allSatisfy({ $0 >= 0 }) else { return nil }
        self.init(
            hits: differences[0] / seconds, misses: differences[1] / seconds, stores: differences[2] / seconds,
            evictions: differences[3] / seconds)
    }
}
