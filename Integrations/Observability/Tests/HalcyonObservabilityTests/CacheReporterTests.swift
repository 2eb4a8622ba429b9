import Foundation
import Halcyon
import HalcyonObservability
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing

/// Checks that the events of a storage arrive at the test backends of swift-log and swift-metrics.
@Suite struct CacheReporterTests {
    private let metrics = TestMetrics()
    private let logs = InMemoryLogHandler()

    private func reporter(level: Logger.Level = .trace, failureLevel: Logger.Level = .debug) -> CacheReporter {
        var logger = Logger(label: "test") { [logs] _ in logs }
        logger.logLevel = level
        return CacheReporter(cache: "thumbnails", logger: logger, failureLevel: failureLevel, metrics: metrics)
    }

    private func withStorage(
        _ prepare: (inout DiskStorage.Config) -> Void, _ body: (DiskStorage.Backend<Data>) throws -> Void
    ) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-test-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        var config = DiskStorage.Config(name: "thumbnails", sizeLimit: 0, directory: directory)
        prepare(&config)
        let storage = try DiskStorage.Backend<Data>(config: config)
        defer { storage.close() }
        try body(storage)
    }

    private func count(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
        try metrics.expectCounter(label, [("cache", "thumbnails")] + dimensions).totalValue
    }

    @Test func `requests, stores and removals are counted, with bytes`() throws {
        try withStorage({ $0.report(to: reporter()) }) { storage in
            try storage.store(value: Data(count: 10), forKey: "a")
            try storage.store(value: Data(count: 20), forKey: "b")
            _ = try storage.value(forKey: "a")
            _ = try storage.value(forKey: "nothing")
            _ = try storage.value(forKey: "nothing")
            try storage.remove(forKey: "b")
        }
        try #expect(count("halcyon.requests", [("result", "hit")]) == 1)
        try #expect(count("halcyon.requests", [("result", "miss")]) == 2)
        try #expect(count("halcyon.stores") == 2 && count("halcyon.written.bytes") == 30)
        try #expect(count("halcyon.read.bytes") == 10)
        try #expect(count("halcyon.removals", [("cause", "removal")]) == 1)
        try #expect(count("halcyon.removed.bytes", [("cause", "removal")]) == 20)
        try #expect(count("halcyon.removals", [("cause", "eviction")]) == 0)
        try #expect(count("halcyon.failures") == 0 && count("halcyon.repairs") == 0)
    }

    @Test func `evictions say how long entries had been unused`() throws {
        try withStorage({ $0.report(to: reporter()) }) { storage in
            for number in 0..<10 { try storage.store(value: Data(count: 100), forKey: "\(number)") }
            storage.config.sizeLimit = 500
            _ = try storage.removeSizeExceededValues()
        }
        let removed = try count("halcyon.removals", [("cause", "eviction")])
        #expect(removed >= 5)
        try #expect(count("halcyon.removed.bytes", [("cause", "eviction")]) == removed * 100)
        let unused = try metrics.expectTimer("halcyon.eviction.unused", [("cache", "thumbnails")]).values
        // Nanoseconds.
        #expect(!unused.isEmpty && unused.allSatisfy { (0..<600_000_000_000).contains($0) })
    }

    @Test func `errors and expirations are counted`() throws {
        try withStorage({ $0.report(to: reporter()) }) { storage in
            try storage.store(value: Data(count: 7), forKey: "a", expiration: .seconds(0.001))
            Thread.sleep(forTimeInterval: 0.01)
            _ = try storage.removeExpiredValues()
            try storage.store(value: Data(), forKey: "b")
            #expect(throws: KingfisherError.self) {
                try storage.store(value: Data(), forKey: "b", writeOptions: .withoutOverwriting)
            }
        }
        try #expect(count("halcyon.failures") == 1)
        try #expect(count("halcyon.removals", [("cause", "expiration")]) == 1)
        try #expect(count("halcyon.removed.bytes", [("cause", "expiration")]) == 7)
        let logged = logs.entries.filter { $0.metadata["halcyon.error"] != nil }
        #expect(logged.map(\.level) == [.debug] && logged.map(\.message) == ["cache failure"])
    }

    @Test func `failures have the level that a server wants`() throws {
        try withStorage({ $0.report(to: reporter(failureLevel: .warning)) }) { storage in
            try storage.store(value: Data(), forKey: "a")
            #expect(throws: KingfisherError.self) {
                try storage.store(value: Data(), forKey: "a", writeOptions: .withoutOverwriting)
            }
            try storage.remove(forKey: "a")
        }
        #expect(logs.entries.map(\.level) == [.trace, .warning, .debug])
    }

    @Test func `meters show the entries and bytes in the cache`() throws {
        let reporter = reporter()
        try withStorage({ $0.report(to: reporter) }) { storage in
            try storage.store(value: Data(count: 12), forKey: "a")
            reporter.record(try storage.totals())
        }
        try #expect(metrics.expectMeter("halcyon.entries", [("cache", "thumbnails")]).lastValue == 1)
        try #expect(metrics.expectMeter("halcyon.bytes", [("cache", "thumbnails")]).lastValue == 12)
    }

    // MARK: Logs

    @Test func `log lines have levels and dotted metadata, and contain keys only on request`() throws {
        for observesKeys in [false, true] {
            logs.clear()
            try withStorage({
                $0.report(to: reporter())
                $0.observesKeys = observesKeys
            }) { storage in
                try storage.store(value: Data(count: 10), forKey: "secret")
                try storage.remove(forKey: "secret")
            }
            let entries = logs.entries
            #expect(entries.map(\.message) == ["cache store", "cache removal"])
            #expect(entries.map(\.level) == [.trace, .debug])
            #expect(entries.allSatisfy { $0.metadata["halcyon.cache"] == "thumbnails" })
            #expect(entries.first?.metadata["halcyon.bytes"] == "10")
            #expect("\(entries)".contains("secret") == observesKeys)
        }
    }

    @Test func `below the log level, nothing is logged`() throws {
        try withStorage({ $0.report(to: reporter(level: .info)) }) { storage in
            try storage.store(value: Data(count: 10), forKey: "a")
        }
        #expect(logs.entries.isEmpty)
        let silent = CacheReporter(cache: "silent", metrics: metrics)
        try withStorage({ $0.report(to: silent) }) { try $0.store(value: Data(count: 10), forKey: "a") }
        try #expect(metrics.expectCounter("halcyon.stores", [("cache", "silent")]).totalValue == 1)
    }

    @Test func `a repaired index is logged at the level info`() throws {
        try withStorage({ _ in }) { storage in
            try storage.store(value: Data(count: 10), forKey: "a")
            storage.close()
            let index = storage.directoryURL.appendingPathComponent(".halcyon/index.sqlite")
            try Data(repeating: 7, count: 8_192).write(to: index)
            // Repairs are reported to all storages on a folder. The first one must not count this one too.
            var config = storage.config
            config.report(to: reporter(level: .info))
            let again = try DiskStorage.Backend<Data>(config: config)
            defer { again.close() }
            _ = try again.value(forKey: "a")
            // Reported on another thread.
            for _ in 0..<500 where logs.entries.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
        }
        #expect(logs.entries.map(\.message) == ["cache repair"] && logs.entries.map(\.level) == [.info])
        try #expect(count("halcyon.repairs") == 1)
    }

    @Test func `an observer that was set earlier is called first`() throws {
        let order = Order()
        try withStorage({
            $0.observer = { event in order.append("mine: \(event.kind.rawValue)") }
            $0.report(to: reporter())
        }) { try $0.store(value: Data(count: 10), forKey: "a") }
        #expect(order.texts == ["mine: store"])
        try #expect(count("halcyon.stores") == 1)
    }

    private final class Order: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [String] = []

        func append(_ text: String) { lock.withLock { all.append(text) } }
        var texts: [String] { lock.withLock { all } }
    }
}
