import CoreMetrics
import Foundation

/// Metrics as text in the Prometheus format, one per line.
final class TextMetrics: MetricsFactory, Sendable {
    private let all = Store()

    /// All metrics, sorted by name.
    var text: String {
        all.lines.map { "\($0.key) \($0.value.formatted)\n" }.sorted().joined()
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Series(all, label + "_total", dimensions)
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { Series(all, label + "_total", dimensions) }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Series(all, label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        // A gauge is a recorder that keeps its last value.
        aggregate ? Summary(all, label, dimensions) : Series(all, label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Summary(all, label + "_seconds", dimensions)
    }

    // Keeps all metrics, because there are few of them and their counts must survive.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// Values by name and labels.
private final class Store: @unchecked Sendable {
    // Sendable because `values` is accessed only under the lock.
    private let lock = NSLock()
    private var values: [String: Double] = [:]

    var lines: [String: Double] { lock.withLock { values } }

    func set(_ value: Double, at series: String) { lock.withLock { values[series] = value } }

    func add(_ value: Double, to series: String) { lock.withLock { values[series, default: 0] += value } }

    /// `halcyon.requests`, `result` and `hit` become `halcyon_requests{result="hit"}`.
    static func series(_ label: String, _ dimensions: [(String, String)]) -> String {
        func name(_ text: String) -> String {
            String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        }
        func quoted(_ text: String) -> String {
            let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
            return "\"\(escaped)\""
        }
        guard !dimensions.isEmpty else { return name(label) }
        let labels = dimensions.sorted { $0.0 < $1.0 }.map { "\(name($0.0))=\(quoted($0.1))" }
        return "\(name(label)){\(labels.joined(separator: ","))}"
    }
}

/// One value: a counter or a meter.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, Sendable {
    private let store: Store
    private let name: String

    init(_ store: Store, _ label: String, _ dimensions: [(String, String)]) {
        (self.store, name) = (store, Store.series(label, dimensions))
        store.add(0, to: name)
    }

    func increment(by amount: Int64) { store.add(Double(amount), to: name) }
    func increment(by amount: Double) { store.add(amount, to: name) }
    func decrement(by amount: Double) { store.add(-amount, to: name) }
    func set(_ value: Int64) { store.set(Double(value), at: name) }
    func set(_ value: Double) { store.set(value, at: name) }
    func record(_ value: Int64) { store.set(Double(value), at: name) }
    func record(_ value: Double) { store.set(value, at: name) }
    func reset() { store.set(0, at: name) }
}

/// Two values: the number of records, and their sum.
private final class Summary: RecorderHandler, TimerHandler, Sendable {
    private let store: Store
    private let count, sum: String

    init(_ store: Store, _ label: String, _ dimensions: [(String, String)]) {
        self.store = store
        (count, sum) = (Store.series(label + "_count", dimensions), Store.series(label + "_sum", dimensions))
        store.add(0, to: count)
        store.add(0, to: sum)
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        store.add(1, to: count)
        store.add(value, to: sum)
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
}

extension Double {
    /// Formats whole numbers without a decimal point.
    fileprivate var formatted: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
