/// A filled index as the library would hold it: one writer, one reader, and a checkpointer off the caller's path.
final class Index {
    let candidate: Candidate
    let writer: Database
    private let checkpointer: Database
    private let reader: Database
    private let begin, commit, upsert, lookup, touch, extend, evict, expire, sizeBefore, adjust: Statement
    private var sinceCheckpoint = 0
    /// Frames written to the log so far, counted whenever a checkpoint empties it.
    private(set) var frames = 0
    private(set) var checkpointTimes: [Duration] = []

    /// As the library will open it; the default page cache of 2 MB is kept on purpose.
    static let asInLife = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0"
    static let forFilling = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -800000"

    init(_ candidate: Candidate, path: String, settings: String = Index.asInLife) throws {
        self.candidate = candidate
        (writer, reader, checkpointer) = try (Database(path: path), Database(path: path), Database(path: path))
        for connection in [writer, reader, checkpointer] {
            try connection.execute(settings)
            try connection.execute("PRAGMA temp_store = \(candidate.temporaryStore)")
        }
        (begin, commit) = try (writer.prepare("BEGIN IMMEDIATE"), writer.prepare("COMMIT"))
        (upsert, lookup) = try (writer.prepare(candidate.upsert), reader.prepare(candidate.lookup))
        (touch, extend) = try (writer.prepare(candidate.touch), writer.prepare(candidate.extend))
        (evict, expire) = try (writer.prepare(candidate.evict), writer.prepare(candidate.expire))
        sizeBefore = try writer.prepare(candidate.lookup)
        adjust = try writer.prepare(candidate.adjustTotals)
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try begin.run()
        let result = try body()
        try commit.run()
        return result
    }

    func store(_ entry: Entry, name: [UInt8]) throws {
        let replaced = candidate.usesTriggers ? nil : try size(of: entry, name: name)
        bind(entry, name: name)
        try upsert.run()
        guard !candidate.usesTriggers else { return }
        try adjustTotals(
            entries: replaced == nil ? 1 : 0, bytes: entry.size - (replaced ?? 0), storedAt: entry.createdAt)
    }

    /// True when the row is there and really is the one asked for.
    func contains(_ entry: Entry, name: [UInt8]) throws -> Bool {
        identify(entry, name: name, in: lookup)
        let found = try lookup.step() && lookup.column(0, equals: name)
        lookup.reset()
        return found
    }

    func touch(_ entry: Entry, name: [UInt8], at time: Int64, extending: Bool) throws {
        let statement = extending ? extend : touch
        identify(entry, name: name, in: statement)
        statement.bind(time, at: 3)
        statement.bind(entry.token, at: 4)
        try statement.run()
    }

    func evictBatch(need: Int64) throws -> Removed { try remove(with: evict, parameter: need) }

    func expireBatch(until time: Int64) throws -> Removed { try remove(with: expire, parameter: time) }

    /// Called after each timed piece of work; checkpoints every thousand operations, never under the clock.
    func settle(after operations: Int) throws {
        sinceCheckpoint += operations
        if sinceCheckpoint >= 1_000 { try checkpoint() }
    }

    /// Without new frames there is nothing to do: the log would answer with the frames already counted.
    func checkpoint() throws {
        guard sinceCheckpoint > 0 else { return }
        let start = ContinuousClock.now
        frames += try checkpointer.checkpoint()
        checkpointTimes.append(ContinuousClock.now - start)
        sinceCheckpoint = 0
    }
}

/// What a batch took away.
struct Removed {
    var entries = 0
    var bytes: Int64 = 0
}

extension Index {
    private func remove(with statement: Statement, parameter: Int64) throws -> Removed {
        var removed = Removed()
        statement.bind(parameter, at: 1)
        while try statement.step() {
            removed.entries += 1
            removed.bytes += statement.integer(at: statement.lastColumn)
        }
        statement.reset()
        if !candidate.usesTriggers { try adjustTotals(entries: -removed.entries, bytes: -removed.bytes, storedAt: 0) }
        return removed
    }

    /// Without triggers the caller first has to find out what an upsert replaces.
    private func size(of entry: Entry, name: [UInt8]) throws -> Int64? {
        identify(entry, name: name, in: sizeBefore)
        let size = try sizeBefore.step() ? sizeBefore.integer(at: 3) : nil
        sizeBefore.reset()
        return size
    }

    private func adjustTotals(entries: Int, bytes: Int64, storedAt: Int64) throws {
        adjust.bind(Int64(entries), at: 1)
        adjust.bind(bytes, at: 2)
        adjust.bind(storedAt, at: 3)
        try adjust.run()
    }

    private func identify(_ entry: Entry, name: [UInt8], in statement: Statement) {
        switch candidate.identity {
        case .id: statement.bind(entry.id, at: 1)
        case .name: statement.bind(text: name, at: 2)
        }
    }

    private func bind(_ entry: Entry, name: [UInt8]) {
        if candidate.identity == .id { upsert.bind(entry.id, at: 1) }
        if candidate.nameIsText { upsert.bind(text: name, at: 2) } else { upsert.bind(blob: name, at: 2) }
        upsert.bind(text: entry.key, at: 3)
        let integers: [Int64?] = [
            entry.token, entry.inode, entry.size, entry.createdAt, entry.accessedAt, entry.expiresAt, entry.timeToLive,
            entry.pinned ? 1 : 0,
        ]
        for (offset, value) in integers.enumerated() { upsert.bind(value, at: Int32(4 + offset)) }
    }
}
