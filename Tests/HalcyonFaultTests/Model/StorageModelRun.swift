import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

/// A folder with two storages on it, its model, and what is done to both. After each act everything that can be seen is compared.
final class StorageModelRun {
    /// What is not as the model has it.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private let cache: CacheFixture
    private var storages: [DiskStorage.Backend<Data>]
    /// Has no notes and is never read from: what it sees is what is in the index.
    private let observer: DiskStorage.Backend<Data>
    private var model: StorageModel
    private var act = StorageAct.look
    /// Whether the clock was set back since the last flush.
    private var isSetBack = false

    init(_ prepare: (CacheFixture) -> Void = { _ in }) throws {
        var tuning = Tuning.patient
        // Batches that end in the middle, and no housekeeping that comes by the time of the day.
        tuning.batchSize = 2
        tuning.flushInterval = 10 * 365 * 86_400_000
        cache = try CacheFixture(tuning: tuning)
        storages = [cache.storage, cache.makeStorage()]
        observer = cache.makeStorage()
        model = StorageModel(now: cache.clock.now.milliseconds)
        for storage in storages + [observer] { _ = try storage.totalSize() }
        cache.settle()
        prepare(cache)
    }

    /// Why a sequence fails in a new folder; nil when it does not.
    static func failure(of acts: [StorageAct], _ prepare: (CacheFixture) -> Void = { _ in }) throws -> String? {
        let run = try StorageModelRun(prepare)
        do {
            try run.perform(acts)
            try run.end()
            return nil
        } catch {
            return "\(error)"
        }
    }

    func perform(_ acts: [StorageAct]) throws {
        for act in acts {
            self.act = act
            // A storage counts its stamps up by itself.
            pass(0.2)
            try perform(act)
            cache.settle()
            try followSweeps()
            if !act.movesFiles { forgetRows() }
            try compare()
        }
    }

    /// Once a day, by a clock that jumps, the work after an opening or a flush settles blobs that are not their rows'. So does an
    /// eviction, if they are among the largest. When it does is not the model's business: until then, readers miss them all the same.
    private func followSweeps(except names: Set<String> = []) throws {
        for (key, row) in model.rows where row.isSpoilt && !names.contains(observer.cacheFileName(forKey: key)) {
            if try observer.row(forKey: key) == nil { model.rows[key] = nil }
        }
    }

    /// As ten seconds do: what one storage changes of a row alone, the others may see that late. All else they see at once.
    private func forgetRows() {
        for storage in storages + [observer] { storage.store.index.knownRows.forgetAll() }
    }

    /// Empties it for the next sequence. Limits stay as they are.
    func clear() throws { try perform([.removeAll(by: 0), .removeAll(by: 1)]) }

    func end() throws {
        try perform([.look])
        // No lookup reads the blob of an expired entry.
        _ = try observer.check(repair: true)
        try cache.requireClean()
    }

    // MARK: One act

    private func perform(_ act: StorageAct) throws {
        switch act {
        case .store(let key, let value, let term, let by): try store(key, value, term, overwriting: true, by)
        case .storeIfNew(let key, let value, let by): try store(key, value, nil, overwriting: false, by)
        case .read(let key, let extending, let by): try read(key, extending, by)
        case .pin(let key, let isPinned, let by):
            let found = try storages[by].update(.init(isPinned: isPinned), forKey: key)
            try require(found == model.pin(key, isPinned, by: by), "found: \(found)")
        case .keep(let key, let keeps, let by):
            let found = try storages[by].update(.init(keepsExpiration: keeps), forKey: key)
            try require(found == model.keep(key, keeps, by: by), "found: \(found)")
        case .remove(let key, let by):
            try storages[by].remove(forKey: key)
            model.remove(key, by: by)
        case .pass(let seconds): pass(seconds)
        case .setLimits(let bytes, let entries, let by):
            (storages[by].config.sizeLimit, storages[by].config.countLimit) = (bytes, entries)
            model.views[by].limits = (Int64(bytes), entries)
        case .setExpiration(let term, let by):
            storages[by].config.expiration = term.expiration
            model.views[by].expiration = term
        case .look: try look()
        default: try performOnMany(act)
        }
    }

    private func performOnMany(_ act: StorageAct) throws {
        switch act {
        case .removeMatching(let choice, let by):
            let gone = try storages[by].removeEntries(matching: choice.filter).map(\.fileName)
            try requireGone(gone, model.removeMatching(choice, by: by))
        case .removeExpired(let by):
            let gone = try storages[by].removeExpiredValues().map(\.lastPathComponent)
            try requireGone(gone, model.removeExpired(by: by))
        case .evict(let by):
            let gone = try storages[by].removeSizeExceededValues().map(\.lastPathComponent)
            try followSweeps(except: Set(gone))
            try requireGone(gone, model.evict(by: by))
        case .removeAll(let by):
            try storages[by].removeAll()
            model.removeAll(by: by)
        case .flush(let by):
            flush(by)
        case .reopen(let by): try reopen(by)
        case .removeFolder:
            try cache.removeFolder()
            model.removeFolder()
        case .spoil(let key, let damage): try spoil(key, damage)
        default: throw Mismatch(description: "nobody performs \(act)")
        }
    }

    private static func data(_ value: Int) -> Data { .blob(value, count: 10 * (value % 4)) }

    private func store(
        _ key: String, _ value: Int, _ term: StorageAct.Term?, overwriting: Bool, _ by: Int
    ) throws {
        let data = Self.data(value)
        let id = BlobName(text: storages[by].cacheFileName(forKey: key)).rowID
        let isStored = model.store(key, id: id, data, term, overwriting: overwriting, by: by)
        do {
            try storages[by].store(
                value: data, forKey: key, expiration: term?.expiration,
                writeOptions: overwriting ? [] : .withoutOverwriting)
            try require(isStored, "an entry was written over")
        } catch let error as KingfisherError {
            try require(!isStored, "\(error)")
        }
    }

    private func read(_ key: String, _ extending: StorageAct.Extension, _ by: Int) throws {
        let found = try storages[by].value(forKey: key, extendingExpiration: extending.extending)
        let expected = model.read(key, extending, by: by)
        try require(found == expected, "read \(Self.text(found)) instead of \(Self.text(expected))")
    }

    private func pass(_ seconds: Double) {
        if seconds < 0 { isSetBack = true }
        // Here notes stay for years, elsewhere for ten seconds. A note from before the clock was set back keeps out that of a later
        // store if the clock passes its time again meanwhile.
        if seconds > 10, isSetBack {
            storages.indices.forEach(flush)
            isSetBack = false
        }
        cache.clock.advance(by: seconds)
        model.now = cache.clock.now.milliseconds
    }

    private func flush(_ by: Int) {
        storages[by].store.flushAccessLogNow()
        model.flush(by: by)
    }

    private func reopen(_ by: Int) throws {
        let config = storages[by].config
        storages[by].store.close()
        storages[by] = cache.makeStorage()
        storages[by].config = config
        model.reopen(by)
    }

    // MARK: What others do

    private func spoil(_ key: String, _ damage: StorageAct.Damage) throws {
        let url = observer.cacheFileURL(forKey: key)
        // Of a blob that is gone nothing is left to be changed.
        guard let row = model.rows[key], FileManager.default.fileExists(atPath: url.path) else { return }
        switch damage {
        case .delete: try FileManager.default.removeItem(at: url)
        case .replace: try Data(row.data.map { ~$0 }).write(to: url, options: .atomic)
        case .cut:
            guard !row.data.isEmpty else { return }
            try row.data.dropLast().write(to: url)
        }
        model.rows[key]?.isSpoilt = true
    }

    private func look() throws {
        let page = try observer.entries().entries
        try require(page.map(\.key) == model.keysByAccess, "listed: \(page.map { $0.key ?? "?" })")
        for key in StorageAct.keys {
            for (view, storage) in storages.enumerated() {
                let isFound = model.look(key, by: view) != nil
                try require(storage.isCached(forKey: key) == isFound, "\(key) is cached: \(!isFound), for \(view)")
                cache.settle()
                try read(key, .none, view)
            }
        }
    }

    // MARK: Comparing

    private func require(_ isSo: Bool, _ text: @autoclosure () -> String) throws {
        guard !isSo else { return }
        throw Mismatch(description: "at .\(act): \(text())")
    }

    private func requireGone(_ names: [String], _ keys: Set<String>) throws {
        let gone = StorageAct.keys.filter { names.contains(observer.cacheFileName(forKey: $0)) }
        let isSo = names.count == keys.count && keys.isSubset(of: gone)
        try require(isSo, "\(gone) of \(names.count) went instead of \(keys.sorted())")
    }

    private static func text(_ data: Data?) -> String { data.map { "\($0.count) bytes" } ?? "nothing" }

    private func compare() throws {
        try compareRows()
        try compareFiles()
        for (view, storage) in storages.enumerated() {
            for key in StorageAct.keys where model.rows[key]?.isSpoilt != true {
                let isValid = model.isValid(key, for: view)
                try require(storage.isCached(forKey: key) == isValid, "\(key) is cached: \(!isValid), for \(view)")
            }
        }
    }

    private func compareRows() throws {
        let totals = try observer.store.evictor.totals()
        try require(totals == Totals(entries: Int64(model.rows.count), bytes: model.bytes), "\(totals)")
        let rows = try observer.store.index.read { try $0.page(after: .min, limit: 100) }
        let entries = rows.sorted { ($0.accessedAt, $0.size, $0.id) < ($1.accessedAt, $1.size, $1.id) }
        let expected = model.keysByAccess
        try require(entries.map(\.key) == expected, "\(entries.map { $0.key ?? "?" }) instead of \(expected)")
        for (entry, key) in zip(entries, expected) {
            guard let row = model.rows[key] else { continue }
            let (end, expectedEnd) = (
                entry.lifetime(at: cache.clock.now).expiresAt?.milliseconds, model.lifeNow(of: row).end
            )
            try compareAccess(of: key, row, entry.accessedAt.milliseconds)
            try require(
                end == expectedEnd, "\(key) expires \(String(describing: end)), not \(String(describing: expectedEnd))")
            try require(entry.isPinned == row.isPinned, "\(key) is pinned: \(entry.isPinned)")
        }
    }

    /// A store that has to begin again, because the folder was taken away, takes another stamp: a millisecond later.
    private func compareAccess(of key: String, _ row: StorageModel.Row, _ stamp: Int64) throws {
        let delay = stamp - row.accessed
        try require((0...5).contains(delay), "\(key) was used \(delay) ms later")
        if delay > 0 { model.correctStamp(of: key, to: stamp) }
    }

    /// The blobs of the rows are there with their bytes, and nothing else is.
    private func compareFiles() throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: observer.directoryURL.path)) ?? []
        let mine = model.rows.keys.map { observer.cacheFileName(forKey: $0) }
        try require(Set(names).subtracting(mine).isSubset(of: [".halcyon"]), "more files: \(names.count)")
        for (key, row) in model.rows where !row.isSpoilt {
            let data = FileManager.default.contents(atPath: observer.cacheFileURL(forKey: key).path)
            try require(data == row.data, "the blob of \(key) has \(Self.text(data))")
        }
        for place in ["staging", "trash"] { try require(cache.names(in: place).isEmpty, "\(place) is not empty") }
    }
}
