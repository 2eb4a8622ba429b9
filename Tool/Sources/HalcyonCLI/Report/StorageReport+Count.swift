internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

extension StorageReport {
    /// Counts all entries, least recently used first, in about 10 µs each.
    ///
    /// - Parameter progress: called with the number of entries counted so far.
    init(on question: Question, of storage: Storage, progress: (Int) -> Void) throws {
        self.init()
        let usage = try storage.usage()
        totals = usage.total
        allocatedBytes = usage.allocatedBytes
        pinned = usage.pinned
        var count = Count(question, evictingDownTo: try storage.target(of: question.limits, adopting: true), of: totals)
        try storage.forEachEntry(matching: .all, sortedBy: .eviction, descending: false) { entry in
            count.add(entry)
            if count.entries.isMultiple(of: 1_000) { progress(count.entries) }
        }
        progress(count.entries)
        count.note(in: &self)
    }

    /// Counts entries one by one, in the order of eviction.
    struct Count {
        private let question: Question
        private let target: Totals?
        private let all: Totals
        private(set) var entries = 0
        private var hosts = Groups()
        private var processors = Groups()
        private var ages: [Totals]
        private var sizes: [Totals]
        private var expirations: Expirations
        private var eviction = Eviction()
        private var accesses: (oldest: Timestamp, newest: Timestamp)?

        /// - Parameters:
        ///   - target: what an eviction leaves; nil if no limit is reached.
        ///   - all: the totals before the eviction.
        init(_ question: Question, evictingDownTo target: Totals?, of all: Totals) {
            self.question = question
            self.target = target
            self.all = all
            ages = .init(repeating: .none, count: question.ages.count + 1)
            sizes = .init(repeating: .none, count: question.sizes.count + 1)
            expirations = Expirations(days: .init(repeating: .none, count: question.days.count))
        }

        mutating func add(_ entry: DiskStorage.EntryInfo) {
            let (size, access) = (entry.size, Timestamp(entry.lastAccess))
            entries += 1
            hosts.add((entry.baseKey ?? entry.key).flatMap(KeyOrigin.host(ofKey:)), size: size)
            processors.add(entry.processorIdentifier, size: size)
            // An access in the future counts as just now.
            ages[question.ages.step(of: question.now - access)].add(size: size)
            sizes[question.sizes.step(of: size)].add(size: size)
            expirations.add(
                size: size, expiresAt: entry.isPinned ? nil : entry.expiration.map(Timestamp.init), question)
            guard !entry.isPinned else { return }
            accesses = (accesses?.oldest ?? access, access)
            evict(size: size, access)
        }

        private mutating func evict(size: Int64, _ access: Timestamp) {
            guard let target,
                all.entries - eviction.gone.entries > target.entries || all.bytes - eviction.gone.bytes > target.bytes
            else { return }
            eviction.usedUntil = access
            eviction.gone.add(size: size)
        }

        func note(in report: inout StorageReport) {
            report.hosts = hosts.ranking(limit: question.groups)
            report.processors = processors.ranking(limit: question.groups)
            report.ages = ages
            report.sizes = sizes
            report.expirations = expirations
            report.eviction = target.map { _ in eviction }
            (report.oldestAccess, report.newestAccess) = (accesses?.oldest, accesses?.newest)
        }
    }

    /// Totals by name.
    struct Groups {
        private var groups: [String?: Totals] = [:]

        mutating func add(_ name: String?, size: Int64) { groups[name, default: .none].add(size: size) }

        /// The largest groups. Ties are sorted by name.
        func ranking(limit: Int) -> Ranking {
            let sorted = groups.map { Group(name: $0.key, totals: $0.value) }
                .sorted { ($1.totals.bytes, $0.name ?? "") < ($0.totals.bytes, $1.name ?? "") }
            let others = sorted.dropFirst(limit)
            return Ranking(
                largest: Array(sorted.prefix(limit)), otherGroups: Int64(others.count),
                others: others.reduce(into: .none) { $0.add($1.totals) })
        }
    }
}

extension StorageReport.Expirations {
    fileprivate mutating func add(size: Int64, expiresAt: Timestamp?, _ question: StorageReport.Question) {
        guard let expiresAt else { return never.add(size: size) }
        guard expiresAt > question.now else { return expired.add(size: size) }
        guard let day = question.days.firstIndex(where: { expiresAt <= $0 }) else { return later.add(size: size) }
        days[day].add(size: size)
    }
}

extension [Int64] {
    /// The index of the step that contains a number. These numbers are the steps' lower bounds; the first step is below all of
    /// them.
    fileprivate func step(of number: Int64) -> Int { firstIndex { number < $0 } ?? count }
}

extension Totals {
    fileprivate static let none = Totals(entries: 0, bytes: 0)

    fileprivate mutating func add(size: Int64) { add(Totals(entries: 1, bytes: size)) }

    // Wraps on overflow: anyone may have edited the index.
    fileprivate mutating func add(_ other: Totals) {
        entries += other.entries
        bytes &+= other.bytes
    }
}
