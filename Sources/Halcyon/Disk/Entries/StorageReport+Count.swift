extension StorageReport {
    /// Entries, counted one by one.
    struct Count {
        private let question: Question
        private(set) var entries: Int64 = 0
        private var hosts = Groups()
        private var processors = Groups()
        private var ages: [Totals]
        private var sizes: [Totals]
        private var expirations: Expirations

        init(_ question: Question) {
            self.question = question
            ages = .init(repeating: .none, count: question.ages.count + 1)
            sizes = .init(repeating: .none, count: question.sizes.count + 1)
            expirations = Expirations(days: .init(repeating: .none, count: question.days.count))
        }

        /// - Parameter expiresAt: nil for never.
        mutating func add(
            size: Int64, accessedAt: Timestamp, expiresAt: Timestamp?, origin: (host: String?, processor: String?)
        ) {
            entries += 1
            hosts.add(origin.host, size: size)
            processors.add(origin.processor, size: size)
            // An access that lies in the future is as young as any.
            ages[question.ages.step(of: question.now - accessedAt)].add(size: size)
            sizes[question.sizes.step(of: size)].add(size: size)
            expirations.add(size: size, expiresAt: expiresAt, question)
        }

        func note(in report: inout StorageReport) {
            report.hosts = hosts.ranking(limit: question.groups)
            report.processors = processors.ranking(limit: question.groups)
            report.ages = ages
            report.sizes = sizes
            report.expirations = expirations
        }
    }

    /// Totals by name.
    struct Groups {
        private var groups: [String?: Totals] = [:]

        mutating func add(_ name: String?, size: Int64) { groups[name, default: .none].add(size: size) }

        /// The largest ones; of two that are equally large the one whose name comes first.
        func ranking(limit: Int) -> Ranking {
            let sorted = groups.map { Group(name: $0.key, totals: $0.value) }
                .sorted { ($1.totals.bytes, $0.name ?? "") < ($0.totals.bytes, $1.name ?? "") }
            let others = sorted.dropFirst(limit)
            return Ranking(
                largest: Array(sorted.prefix(limit)), otherGroups: Int64(others.count),
                others: others.reduce(.none) { $0 + $1.totals })
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
    /// Of steps that begin at these numbers, the first one below all of them, the one that a number is in.
    fileprivate func step(of number: Int64) -> Int { firstIndex { number < $0 } ?? count }
}

extension Totals {
    static let none = Totals(entries: 0, bytes: 0)

    mutating func add(size: Int64) {
        entries += 1
        bytes = bytes.addingReportingOverflow(size).partialValue
    }
}
