public import Halcyon
public import Logging
public import Metrics

/// Reports the events of a cache to swift-log and swift-metrics.
///
/// ```swift
/// let reporter = CacheReporter(cache: "thumbnails", logger: logger)
/// var config = DiskStorage.Config(name: "thumbnails", sizeLimit: 500_000_000)
/// config.report(to: reporter)
/// let storage = try DiskStorage.Backend<Data>(config: config)
/// ```
///
/// You choose and bootstrap the backends. Create one reporter for each cache and keep it: it creates its metrics once. You can use
/// it on any thread.
///
/// | Metric | Kind | Dimensions besides `cache` |
/// |---|---|---|
/// | `halcyon.requests` | counter | `result`: `hit`, `miss` |
/// | `halcyon.stores` | counter | |
/// | `halcyon.removals` | counter, entries | `cause`: `removal`, `eviction`, `expiration` |
/// | `halcyon.failures`, `halcyon.repairs` | counter | |
/// | `halcyon.read.bytes`, `halcyon.written.bytes` | counter | |
/// | `halcyon.removed.bytes` | counter | `cause` |
/// | `halcyon.eviction.unused` | timer, the mean of an eviction | |
/// | `halcyon.lock.wait` | timer | |
/// | `halcyon.entries`, `halcyon.bytes` | meter, set by ``record(_:)`` | |
///
/// A short `halcyon.eviction.unused` means that the limit is too small: recently used entries are evicted.
///
/// Hits, misses and stores are logged at `trace`, removals and waits at `debug`. So are failures by default: most are also thrown to
/// you. Those of clears, cleans and of stores after a fetch are not, so watch `halcyon.failures`, or log them at a higher level. A
/// repair is logged at `info`, since no call throws it.
/// Metadata keys begin with `halcyon.`.
public struct CacheReporter: Sendable {
    private let name: String
    private let logger: Logger?
    private let failureLevel: Logger.Level
    private let meters: CacheMeters

    /// - Parameters:
    ///   - name: the value of the dimension `cache`, and of `halcyon.cache` in logs. Use few different names.
    ///   - logger: nil to log nothing.
    ///   - failureLevel: the level of failures. On a full disk, each store fails.
    ///   - factory: creates the metrics. The default is the one that your app has bootstrapped.
    public init(
        cache name: String, logger: Logger? = nil, failureLevel: Logger.Level = .debug,
        metrics factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.name = name
        self.logger = logger
        self.failureLevel = failureLevel
        meters = CacheMeters(cache: name, factory: factory)
    }

    /// Counts an event and logs it.
    public func report(_ event: DiskStorage.Event) {
        meters.count(event)
        logger?.log(level: level(of: event.kind), "cache \(event.kind.rawValue)", metadata: metadata(of: event))
    }

    /// Sets the meters for the cache's contents. Call it when metrics are collected.
    ///
    /// ```swift
    /// reporter.record(try await storage.async.perform { try $0.totals() })
    /// ```
    public func record(_ totals: DiskStorage.Totals) {
        meters.entries.set(totals.entries)
        meters.bytes.set(totals.bytes)
    }

    private func level(of kind: DiskStorage.Event.Kind) -> Logger.Level {
        switch kind {
        case .hit, .miss, .store: .trace
        case .repair: .info
        case .failure: failureLevel
        default: .debug
        }
    }

    /// Evaluated only if the level is logged.
    private func metadata(of event: DiskStorage.Event) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["halcyon.cache": "\(name)"]
        if event.count != 1 { metadata["halcyon.entries"] = "\(event.count)" }
        if event.bytes > 0 { metadata["halcyon.bytes"] = "\(event.bytes)" }
        if event.seconds > 0 { metadata["halcyon.seconds"] = "\(event.seconds)" }
        if let key = event.key { metadata["halcyon.key"] = "\(key)" }
        if let error = event.error { metadata["halcyon.error"] = "\(error.message)" }
        return metadata
    }
}

extension DiskStorage.Config {
    /// Reports each event to swift-log and swift-metrics, after calling an existing ``DiskStorage/Config/observer``.
    ///
    /// Keys are logged only if ``DiskStorage/Config/observesKeys`` is true.
    public mutating func report(to reporter: CacheReporter) {
        let observer = observer
        self.observer = { event in
            observer?(event)
            reporter.report(event)
        }
    }
}
