/// One pass over all measures on a fresh copy of a filled index.
///
/// The order matters: what deletes rows comes last.
struct Round {
    private let index: Index
    private let rows: Int
    private let number: Int
    private let report: (Measure, [Double]) -> Void
    private var candidate: Candidate { index.candidate }

    init(index: Index, rows: Int, number: Int, report: @escaping (Measure, [Double]) -> Void) {
        (self.index, self.rows, self.number, self.report) = (index, rows, number, report)
    }

    func run() throws {
        try lookups()
        try touches()
        try stores()
        try expirations()
        try evictions()
    }
}

extension Round {
    private func lookups() throws {
        try lookUp(5_000, from: 0, expecting: true)  // Warms the reader's cache; not reported.
        report(.hit, try lookUp(5_000, from: 0, expecting: true))
        report(.miss, try lookUp(5_000, from: rows * 2, expecting: false))
    }

    @discardableResult
    private func lookUp(_ count: Int, from first: Int, expecting expected: Bool) throws -> [Double] {
        try randomEntries(count, seed: first &+ count, from: first).map { entry, name in
            var found = false
            let time = try timed { found = try index.contains(entry, name: name) }
            guard found == expected else { throw DatabaseError(description: "lookup went wrong") }
            return time
        }
    }
}

extension Round {
    private func touches() throws {
        report(.touch, try (0..<16).map { try touchBatch($0, extending: false) })
        report(.extend, try (16..<32).map { try touchBatch($0, extending: true) })
        try index.checkpoint()
    }

    /// A flush of the access log: 256 random rows in one transaction.
    private func touchBatch(_ batch: Int, extending: Bool) throws -> Double {
        let entries = randomEntries(256, seed: 100 + batch)
        let now = Entry.time(of: rows * 2 + batch)
        let time = try timed {
            try index.transaction {
                for (entry, name) in entries { try index.touch(entry, name: name, at: now, extending: extending) }
            }
        }
        try index.settle(after: 256)
        return time / 256
    }
}

extension Round {
    private func stores() throws {
        report(.overwrite, try overwritten().map(store))
        try index.checkpoint()
        let (frames, checkpoints) = (index.frames, index.checkpointTimes.count)
        let new = newEntries(3_000)
        report(.storeNew, try new.map(store))
        try index.checkpoint()
        let bytes = Double((index.frames - frames) * (candidate.pageSize + 24))
        report(.walBytes, [bytes / Double(new.count)])
        report(.checkpoint, index.checkpointTimes[checkpoints..<checkpoints + 3].map(\.microseconds))
    }

    private func store(_ entry: Entry, _ name: [UInt8]) throws -> Double {
        let time = try timed { try index.transaction { try index.store(entry, name: name) } }
        try index.settle(after: 1)
        return time
    }

    private func newEntries(_ count: Int) -> [(Entry, [UInt8])] {
        (0..<count).map { offset in
            let entry = Entry(number: rows * 2 + number * count + offset)
            return (entry, candidate.name(of: entry))
        }
    }

    /// The same names with other bytes, used just now.
    private func overwritten() -> [(Entry, [UInt8])] {
        randomEntries(3_000, seed: 3).enumerated().map { offset, element in
            var entry = element.0
            entry.size += 1
            entry.accessedAt = Entry.time(of: rows * 2 + offset)
            return (entry, element.1)
        }
    }
}

extension Round {
    private func expirations() throws {
        let batches = 10
        let due = try dueTime(after: batches * 128)
        report(.expire, try (0..<batches).map { _ in try batch { try index.expireBatch(until: due) }.time })
        report(.expireNothing, try (0..<5).map { _ in try batch { try index.expireBatch(until: 1) }.time })
    }

    private func dueTime(after count: Int) throws -> Int64 {
        try index.writer.integer(
            "SELECT expires_at FROM entries WHERE expires_at IS NOT NULL ORDER BY expires_at LIMIT 1 OFFSET \(count)")
    }

    private func evictions() throws {
        let total = try index.writer.integer("SELECT bytes FROM totals")
        report(.smallEviction, try (0..<16).map { _ in try batch { try index.evictBatch(need: total / 100) }.time })
        let batches = try evict(try index.writer.integer("SELECT bytes FROM totals") / 2, batches: 500)
        report(.halfEviction, batches.map { $0.time / Double($0.removed.entries) })
        report(.worstBatch, [batches.map(\.time).max() ?? 0])
        try checkTotals()
    }

    /// Batches until the need is met, at most so many of them.
    private func evict(_ need: Int64, batches limit: Int) throws -> [(time: Double, removed: Removed)] {
        var left = need
        var batches: [(time: Double, removed: Removed)] = []
        while left > 0, batches.count < limit {
            batches.append(try batch { try index.evictBatch(need: left) })
            left -= batches[batches.count - 1].removed.bytes
        }
        return batches
    }

    /// A batch of deletions in a transaction of its own.
    private func batch(_ body: () throws -> Removed) throws -> (time: Double, removed: Removed) {
        var removed = Removed()
        let time = try timed { removed = try index.transaction(body) }
        try index.settle(after: removed.entries)
        return (time, removed)
    }

    /// A candidate with wrong totals is invalid, however fast it is.
    private func checkTotals() throws {
        let wrong = try index.writer.integer(
            """
            SELECT (SELECT bytes FROM totals) <> (SELECT SUM(size) FROM entries)
                OR (SELECT entries FROM totals) <> (SELECT COUNT(*) FROM entries)
            """)
        if wrong != 0 { throw DatabaseError(description: "totals of \(candidate.letter) are wrong") }
    }
}

extension Round {
    private func randomEntries(_ count: Int, seed: Int, from first: Int = 0) -> [(Entry, [UInt8])] {
        var random = Randomness(seed: UInt64(seed * 100 + number))
        return (0..<count).map { _ in
            let entry = Entry(number: first + random.below(rows))
            return (entry, candidate.name(of: entry))
        }
    }
}
