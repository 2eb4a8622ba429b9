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
        // A clean removes what has expired first.
        let expired = usage.expired
        var count = Count(
            question, of: Totals(entries: totals.entries - expired.entries, bytes: totals.bytes - expired.bytes))
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
        /// What an eviction leaves; nil if no limit is reached.
        private let target: Totals?
        /// The entries that have not expired.
        private let valid: Totals
        private(set) var entries = 0
        private var hosts = Groups()
        private var processors = Groups()
        private var ages: [Totals]
        private var sizes: [Totals]
        private var expirations: Expirations
        private var eviction = Eviction()
        /// The first use of an entry that an eviction keeps.
        private var oldestKept: Timestamp?
        private var accesses: (oldest: Timestamp, newest: Timestamp)?

        init(_ question: Question, of valid: Totals) {
            self.question = question
            self.valid = valid
            target = question.limits.target(valid, freeBytes: nil)
            ages = .init(repeating: .none, count: question.ages.count + 1)
            sizes = .init(repeating: .none, count: question.sizes.count + 1)
            expirations = Expirations(days: .init(repeating: .none, count: question.days.count))
        }

        mutating func add(_ entry: DiskStorage.EntryInfo) {
            let (size, access) = (entry.size, Timestamp(entry.lastAccess))
            let expiresAt = entry.isPinned ? nil : entry.expiration.map(Timestamp.init)
            entries += 1
            hosts.add((entry.baseKey ?? entry.key).flatMap(KeyOrigin.host(ofKey:)), size: size)
            processors.add(entry.processorIdentifier, size: size)
            // An access in the future counts as just now.
            ages[question.ages.step(of: question.now - access)].add(size: size)
            sizes[question.sizes.step(of: size)].add(size: size)
            expirations.add(size: size, expiresAt: expiresAt, question)
            guard !entry.isPinned else { return }
            // Frequently used entries come later in the order than their last use alone would put them.
            accesses = (min(accesses?.oldest ?? access, access), max(accesses?.newest ?? access, access))
            if expiresAt.map({ $0 > question.now }) ?? true { evict(size: size, access) }
        }

        private mutating func evict(size: Int64, _ access: Timestamp) {
            guard let target,
                valid.entries - eviction.gone.entries > target.entries
                    || valid.bytes - eviction.gone.bytes > target.bytes
            else {
                oldestKept = min(oldestKept ?? access, access)
                return
            }
            eviction.usedUntil = max(eviction.usedUntil ?? access, access)
            eviction.gone.add(size: size)
        }

        func note(in report: inout StorageReport) {
            report.hosts = hosts.ranking(limit: question.groups)
            report.processors = processors.ranking(limit: question.groups)
            report.ages = ages
            report.sizes = sizes
            report.expirations = expirations
            report.eviction = target.map { _ in
                let usedUntil = eviction.usedUntil.flatMap { until in (oldestKept ?? until) < until ? nil : until }
                return Eviction(gone: eviction.gone, usedUntil: usedUntil)
            }
            (report.oldestAccess, report.newestAccess) = (accesses?.oldest, accesses?.newest)
        }
    }

    /// Totals by name. The index separates names by their bytes.
    struct Groups {
        private var groups: [[UInt8]?: Totals] = [:]

        mutating func add(_ name: String?, size: Int64) {
            groups[name.map { Array($0.utf8) }, default: .none].add(size: size)
        }

        /// The largest groups. Ties are sorted by name, and none comes first.
        func ranking(limit: Int) -> Ranking {
            let sorted = groups.sorted { first, second in
                guard first.value.bytes == second.value.bytes else { return first.value.bytes > second.value.bytes }
                guard let name = first.key, let other = second.key else { return first.key == nil }
                return name.lexicographicallyPrecedes(other)
            }.map { Group(name: $0.key.map { String(decoding: $0, as: UTF8.self) }, totals: $0.value) }
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
