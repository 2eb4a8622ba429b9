/// The contents of all keys that have a value, while no operation runs.
typealias Standing = [String: KeyHistory.Change.Kind]

/// The histories of all keys, from the earlier contents and the logs of all processes.
struct Chronicle: Sendable {
    private(set) var histories: [String: KeyHistory]
    /// Violations that do not depend on a history.
    private(set) var violations: [Violation] = []
    private(set) var operations = 0
    /// Kinds of operations that were interrupted by the end of a process.
    private(set) var unfinished: [String] = []
    private let keys: KeySpace

    /// - Parameter before: the contents before the first record.
    init(before: Standing, keys: KeySpace) {
        self.keys = keys
        histories = Dictionary(
            uniqueKeysWithValues: keys.all.map { key in
                let change = KeyHistory.Change(kind: before[key] ?? .removal, span: .before, isCertain: true)
                return (key, KeyHistory(changes: [change]))
            })
    }

    /// The kind of change of a store that a lookup has seen, to judge later lookups.
    func standing(of store: StoreID, key: String) -> KeyHistory.Change.Kind? {
        histories[key]?.changes.first { $0.store == store }?.kind
    }

    /// - Parameter toleratingFailures: whether operations may fail. A failed one must still have changed nothing.
    mutating func add(_ log: WorkerLog, toleratingFailures: Bool = false) {
        var open: [Int: (begin: Int64, operation: CacheOperation)] = [:]
        for record in log.records {
            switch record {
            case .complaint(let text): violations.append(Violation(.complaint, "process \(log.worker): \(text)"))
            case .began(let number, let time, let operation): open[number] = (time, operation)
            case .ended(let number, let time, let outcome):
                guard let began = open.removeValue(forKey: number) else { continue }
                let span = KeyHistory.Span(begin: began.begin, end: time)
                let identity = StoreID(worker: log.worker, number: number)
                if case .failed(let text) = outcome, !toleratingFailures {
                    violations.append(Violation(.failed, "\(began.operation), process \(log.worker): \(text)"))
                }
                add(began.operation, outcome, span, identity)
            }
        }
        for (number, began) in open {
            // Its process ended during the operation.
            unfinished.append(String(began.operation.description.prefix { $0 != " " }))
            let span = KeyHistory.Span(begin: began.begin, end: log.goneAt)
            addChange(began.operation, span, StoreID(worker: log.worker, number: number), isCertain: false)
        }
    }

    /// A lookup from outside, after or beside all logged operations.
    mutating func add(_ look: KeyHistory.Look, of key: String) { histories[key]?.looks.append(look) }

    /// All violations.
    func judge() -> [Violation] {
        violations + histories.sorted { $0.key < $1.key }.flatMap { $0.value.violations(key: $0.key) }
    }

    // MARK: Operations

    private mutating func add(
        _ operation: CacheOperation, _ outcome: Outcome, _ span: KeyHistory.Span, _ identity: StoreID
    ) {
        operations += 1
        switch outcome {
        case .wrong(let text): violations.append(Violation(.wrong, "\(operation), process \(identity.worker): \(text)"))
        case .failed: addFailure(of: operation, span, identity)
        case .hit(let store): addLook(operation, store.map(KeyHistory.Look.Result.value) ?? .something, span, identity)
        case .miss: addLook(operation, .nothing, span, identity)
        case .gone(let keys): for key in keys { add(.removal, to: key, span) }
        case .done: addChange(operation, span, identity, isCertain: true)
        }
    }

    private mutating func addLook(
        _ operation: CacheOperation, _ result: KeyHistory.Look.Result, _ span: KeyHistory.Span, _ identity: StoreID
    ) {
        switch operation {
        case .value(let key), .isCached(let key):
            add(KeyHistory.Look(result: result, span: span, by: "\(operation) of process \(identity.worker)"), of: key)
        default: violations.append(Violation(.disagreement, "\(operation) is not a lookup: \(result)"))
        }
    }

    /// A failed operation has changed nothing, except that a removal of many may be half complete.
    private mutating func addFailure(of operation: CacheOperation, _ span: KeyHistory.Span, _ identity: StoreID) {
        switch operation {
        case .evict, .expire, .removeAll: addChange(operation, span, identity, isCertain: false)
        default: break
        }
    }

    // MARK: Changes

    private mutating func addChange(
        _ operation: CacheOperation, _ span: KeyHistory.Span, _ identity: StoreID, isCertain: Bool
    ) {
        switch operation {
        case .store(let key, _, let isLasting):
            add(.store(identity, isLasting: isLasting), to: key, span, isCertain: isCertain)
        case .remove(let key): add(.removal, to: key, span, isCertain: isCertain)
        case .removeAll: for key in keys.all { add(.removal, to: key, span, isCertain: isCertain) }
        // Pinned entries are neither evicted nor expire; a value that expires is marked at its store.
        case .evict: for key in keys.loose { add(.removal, to: key, span, isCertain: false) }
        case .value, .isCached, .update, .expire, .page, .totals, .open, .reopen: break
        }
    }

    private mutating func add(
        _ kind: KeyHistory.Change.Kind, to key: String, _ span: KeyHistory.Span, isCertain: Bool = true
    ) {
        histories[key]?.changes.append(.init(kind: kind, span: span, isCertain: isCertain))
    }
}
