internal import Halcyon
internal import Metrics

/// The metrics of one cache, created once: looking them up for each event would cost more than the event.
struct CacheMeters: Sendable {
    let entries: Meter
    let bytes: Meter
    private let hits, misses, stores, bytesRead, bytesWritten, failures, repairs: Counter
    private let removals, bytesRemoved: [DiskStorage.Event.Kind: Counter]
    private let unused, waits: Timer

    init(cache: String, factory: any MetricsFactory) {
        func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: "halcyon.\(label)", dimensions: [("cache", cache)] + dimensions, factory: factory)
        }
        func counters(_ label: String) -> [DiskStorage.Event.Kind: Counter] {
            let causes: [DiskStorage.Event.Kind] = [.removal, .eviction, .expiration]
            return Dictionary(uniqueKeysWithValues: causes.map { ($0, counter(label, [("cause", $0.rawValue)])) })
        }
        func meter(_ label: String) -> Meter {
            Meter(label: "halcyon.\(label)", dimensions: [("cache", cache)], factory: factory)
        }
        func timer(_ label: String) -> Timer {
            Timer(label: "halcyon.\(label)", dimensions: [("cache", cache)], factory: factory)
        }
        hits = counter("requests", [("result", "hit")])
        misses = counter("requests", [("result", "miss")])
        (stores, failures, repairs) = (counter("stores"), counter("failures"), counter("repairs"))
        (bytesRead, bytesWritten) = (counter("read.bytes"), counter("written.bytes"))
        (removals, bytesRemoved) = (counters("removals"), counters("removed.bytes"))
        (unused, waits) = (timer("eviction.unused"), timer("lock.wait"))
        (entries, bytes) = (meter("entries"), meter("bytes"))
    }

    func count(_ event: DiskStorage.Event) {
        switch event.kind {
        case .hit:
            hits.increment()
            bytesRead.increment(by: event.bytes)
        case .miss: misses.increment()
        case .store:
            stores.increment()
            bytesWritten.increment(by: event.bytes)
        case .removal, .eviction, .expiration: countRemoval(event)
        case .wait: waits.recordSeconds(event.seconds)
        case .repair: repairs.increment()
        case .failure: failures.increment()
        default: break
        }
    }

    private func countRemoval(_ event: DiskStorage.Event) {
        removals[event.kind]?.increment(by: event.count)
        bytesRemoved[event.kind]?.increment(by: event.bytes)
        if event.kind == .eviction, event.count > 0 { unused.recordSeconds(event.seconds / Double(event.count)) }
    }
}
