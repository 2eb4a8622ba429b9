import Foundation

/// What a folder with two storages on it has to look like: dictionaries and arrays, no file and no SQL.
///
/// It rests on the documentation alone: accesses and expirations are in milliseconds, no two stamps of a storage are alike, and
/// they run ahead of the clock by a tenth of a second at most; notes of reads are the storage's own until it writes them.
struct StorageModel {
    struct Life: Equatable {
        var end: Int64?
        var duration: Int64?

        static let never = Life()

        /// Whether reads leave it as it is.
        var isKept: Bool { end != nil && duration == nil }
    }

    struct Row {
        let id: Int64
        var data = Data()
        /// New at each store.
        var version = 0
        var created: Int64 = 0
        var accessed: Int64 = 0
        var life = Life.never
        var isPinned = false
        /// Another program has changed its blob.
        var isSpoilt = false
    }

    /// A read that the index does not know of yet.
    struct Note {
        let version: Int
        var accessed: Int64
        var life: Life?
    }

    /// One of the two storages.
    struct View {
        var notes: [String: Note] = [:]
        var lastStamp: Int64 = 0
        var limits: (bytes: Int64, entries: Int) = (0, 0)
        var expiration = StorageAct.Term.seconds(7 * 86_400)
    }

    var rows: [String: Row] = [:]
    var views = [View(), View()]
    var now: Int64
    private var storedAt: Int64 = 0
    private var versions = 0

    /// How far a stamp may be ahead of the clock.
    private static let lead: Int64 = 100
    /// What is further ahead was stamped before the clock was put back.
    private static let tolerance: Int64 = 10_000
    /// How far the latest store may be ahead of a clock that was put back: later stores have later times.
    private static let reach: Int64 = 140_000

    init(now: Int64) { self.now = now }

    var bytes: Int64 { rows.values.reduce(0) { $0 + Int64($1.data.count) } }

    /// Least recently used first.
    var keysByAccess: [String] {
        rows.sorted { left, right in
            (left.value.accessed, left.value.data.count, left.value.id)
                < (right.value.accessed, right.value.data.count, right.value.id)
        }.map(\.key)
    }

    // MARK: Times

    static func life(_ term: StorageAct.Term, from now: Int64) -> Life {
        switch term {
        case .never: .never
        case .expired: Life(end: 0, duration: 0)
        case .seconds(let seconds): Life(end: now + Int64(seconds) * 1000, duration: Int64(seconds) * 1000)
        }
    }

    /// After the clock was put back an entry lives its duration from now, not longer.
    func lifeNow(of row: Row) -> Life {
        guard let end = row.life.end, let duration = row.life.duration else { return row.life }
        return Life(end: min(end, now + duration), duration: duration)
    }

    /// What a storage takes an entry's life for: its own notes count.
    private func life(of key: String, _ row: Row, for view: Int) -> Life {
        guard let note = views[view].notes[key], note.version == row.version, let life = note.life else {
            return lifeNow(of: row)
        }
        return life
    }

    func isValid(_ key: String, for view: Int) -> Bool {
        guard let row = rows[key] else { return false }
        return row.isPinned || life(of: key, row, for: view).end.map { $0 > now } ?? true
    }

    private mutating func stamp(by view: Int) -> Int64 {
        let last = views[view].lastStamp
        views[view].lastStamp =
            last - now > Self.lead ? now : last == now + Self.lead ? last : max(now, last + 1)
        return views[view].lastStamp
    }

    private func storeTime() -> Int64 { storedAt - now <= Self.reach ? max(now, storedAt) : now }

    mutating func correctStamp(of key: String, to stamp: Int64) {
        guard let row = rows[key] else { return }
        rows[key]?.accessed = stamp
        for view in views.indices where views[view].lastStamp == row.accessed { views[view].lastStamp = stamp }
    }

    // MARK: One entry

    /// - Returns: false where an entry is in the way.
    mutating func store(
        _ key: String, id: Int64, _ data: Data, _ term: StorageAct.Term?, overwriting: Bool, by view: Int
    ) -> Bool {
        let life = Self.life(term ?? views[view].expiration, from: now)
        if let end = life.end, end <= now { return true }
        let old = rows[key]
        if !overwriting, let old, !old.isSpoilt, isValid(key, for: view) { return false }
        storedAt = storeTime()
        versions += 1
        rows[key] = Row(
            id: id, data: data, version: versions, created: storedAt,
            accessed: stamp(by: view), life: life,
            isPinned: old?.isPinned ?? false)
        views[view].notes[key] = nil
        return true
    }

    mutating func read(_ key: String, _ extending: StorageAct.Extension, by view: Int) -> Data? {
        guard let row = look(key, by: view) else { return nil }
        let life = extended(life(of: key, row, for: view), by: extending)
        let stamp = stamp(by: view)
        var note =
            views[view].notes[key].flatMap { $0.version == row.version ? $0 : nil }
            ?? Note(version: row.version, accessed: 0)
        note.accessed = max(note.accessed, stamp)
        note.life = life ?? note.life
        views[view].notes[key] = note
        // In the runs no flush is ever due by time, so what may expire before the next one is written at once.
        if life != nil, row.life.end != nil { flush(by: view) }
        return row.data
    }

    private func extended(_ life: Life, by extending: StorageAct.Extension) -> Life? {
        if life.isKept { return nil }
        return switch extending {
        case .none: nil
        case .to(let term): Self.life(term, from: now)
        case .cacheTime: life.duration.map { Life(end: now + $0, duration: $0) }
        }
    }

    /// A look at an entry; one whose blob is not its own any more is dropped for it.
    mutating func look(_ key: String, by view: Int) -> Row? {
        guard isValid(key, for: view), let row = rows[key] else { return nil }
        guard !row.isSpoilt else {
            rows[key] = nil
            return nil
        }
        return row
    }

    mutating func pin(_ key: String, _ isPinned: Bool, by view: Int) -> Bool {
        flush(by: view)
        rows[key]?.isPinned = isPinned
        return rows[key] != nil
    }

    mutating func keep(_ key: String, _ keeps: Bool, by view: Int) -> Bool {
        flush(by: view)
        guard let row = rows[key] else { return false }
        if let end = row.life.end {
            rows[key]?.life.duration = keeps ? nil : row.life.duration ?? max(0, end - min(row.created, row.accessed))
        }
        return true
    }

    mutating func remove(_ key: String, by view: Int) {
        rows[key] = nil
        views[view].notes[key] = nil
    }

    // MARK: Many

    mutating func flush(by view: Int) {
        for (key, note) in views[view].notes {
            guard var row = rows[key], row.version == note.version else { continue }
            // The later of two reads decides how long it lives.
            if let life = note.life, row.accessed <= note.accessed, !row.life.isKept { row.life = life }
            row.accessed = max(row.accessed, note.accessed)
            rows[key] = row
        }
        views[view].notes = [:]
    }

    /// Accesses that only a clock that was put back since can have noted.
    private mutating func clampFuture() {
        for (key, row) in rows where !row.isPinned && row.accessed > now + Self.tolerance {
            var life = lifeNow(of: row)
            // Without a duration, its time from the store to the end counts, if the store was ahead too.
            if let end = life.end, life.duration == nil, row.created > now + Self.tolerance {
                life.end = min(end, now + end - min(row.created, row.accessed))
            }
            rows[key]?.accessed = now
            rows[key]?.life = life
        }
    }

    private mutating func take(_ keys: [String]) -> Set<String> {
        for key in keys { rows[key] = nil }
        return Set(keys)
    }

    mutating func removeExpired(by view: Int) -> Set<String> {
        flush(by: view)
        clampFuture()
        return take(rows.filter { !$0.value.isPinned && $0.value.life.end.map { $0 <= now } ?? false }.map(\.key))
    }

    mutating func evict(by view: Int) -> Set<String> {
        let limits = views[view].limits
        let isTooLarge = limits.bytes > 0 && bytes >= limits.bytes
        let areTooMany = limits.entries > 0 && rows.count > limits.entries
        guard isTooLarge || areTooMany else { return [] }
        flush(by: view)
        clampFuture()
        var gone: [String] = []
        var left = (bytes: bytes, entries: rows.count)
        for key in keysByAccess {
            let hasBytesOver = isTooLarge && left.bytes > limits.bytes / 2
            let hasEntriesOver = areTooMany && left.entries > max(1, limits.entries / 2)
            guard hasBytesOver || hasEntriesOver, let row = rows[key] else { break }
            guard !row.isPinned else { continue }
            gone.append(key)
            left = (left.bytes - Int64(row.data.count), left.entries - 1)
        }
        return take(gone)
    }

    /// What is stored later has a later stamp than this one.
    private mutating func mark(by view: Int) { storedAt = storeTime() + 1 }

    mutating func removeMatching(_ choice: StorageAct.Choice, by view: Int) -> Set<String> {
        mark(by: view)
        flush(by: view)
        return take(rows.filter { meets($0.value, choice) }.map(\.key))
    }

    private func meets(_ row: Row, _ choice: StorageAct.Choice) -> Bool {
        switch choice {
        case .everything: true
        case .expired: !row.isPinned && lifeNow(of: row).end.map { $0 <= now } ?? false
        case .unpinned: !row.isPinned
        case .small: row.data.count <= 10
        }
    }

    mutating func removeAll(by view: Int) {
        mark(by: view)
        rows = [:]
        views[view].notes = [:]
    }

    // MARK: The world

    /// A storage begins anew, as after the end of its process.
    mutating func reopen(_ view: Int) {
        flush(by: view)
        views[view].lastStamp = 0
    }

    mutating func removeFolder() {
        rows = [:]
        storedAt = 0
    }
}
