import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A cache, its model, and the operations on both.
struct ModelRun {
    let cache: CacheFixture
    let others: [DiskStorage.Backend<Data>]
    let seed: UInt64
    private var generator: SeededGenerator
    private var model = EntryModel()
    private var steps: [String] = []

    init(cache: CacheFixture, others: [DiskStorage.Backend<Data>], seed: UInt64) {
        (self.cache, self.others, self.seed) = (cache, others, seed)
        generator = SeededGenerator(seed: seed)
    }

    /// For failures.
    var about: String { "seed \(seed), after \(steps.count) steps: \(steps.suffix(12).joined(separator: ", "))" }

    private var now: Timestamp { cache.clock.now }
    private var storages: [DiskStorage.Backend<Data>] { [cache.storage] + others }
    private func flush() { for storage in storages { storage.store.flushAccessLogNow() } }

    private mutating func random<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    // MARK: One step

    mutating func step() throws {
        // Each storage counts its own stamps.
        cache.clock.advance(by: 0.2)
        let storage = random(storages)
        // As after ten seconds: until then, a storage may not see the other one's changes of rows.
        for other in storages where other !== storage { other.store.index.knownRows.forgetAll() }
        let key = random([model.key(&generator), random(ModelKey.all)])
        switch Int.random(in: 0..<40, using: &generator) {
        case 0..<16: try store(key, in: storage)
        case 16..<18: try remove(key, in: storage)
        case 18..<21: try update(key, in: storage)
        case 21..<30: try touch(key, in: storage)
        case 30..<33: advance()
        case 33: try evict(in: storage)
        case 34: try expire(in: storage)
        case 35: try removeMatching(in: storage)
        case 36: try removeEverything(in: storage)
        default: reopen()
        }
    }

    private mutating func store(_ key: ModelKey, in storage: DiskStorage.Backend<Data>) throws {
        let size = random([0, 10, 10, 10, 20, 30, 4_096, 5_000])
        let expiration: StorageExpiration = random([.never, .seconds(5), .seconds(100), .seconds(1_000)])
        let isKnown = Bool.random(using: &generator)
        steps.append("store \(key.text)\(isKnown ? " of \(key.base)" : "") \(size) \(expiration)")
        // Without an origin, the entry is an original under its whole key.
        let base = isKnown ? key.base : key.text
        try storage.store(
            value: .blob(size, count: size), forKey: key.text, origin: KeyOrigin(baseKey: base),
            expiration: expiration, writeOptions: [], forcedExtension: nil, attributes: .init())
        let name = storage.cacheFileURL(forKey: key.text).lastPathComponent
        var entry = model[key] ?? ModelEntry(key: key, fileName: name, id: BlobName(text: name).rowID)
        entry.base = base
        (entry.size, entry.hits) = (Int64(size), 0)
        entry.expire(expiration, from: now)
        try note(&entry, in: storage)
        #expect(entry.created == entry.accessed && Timestamp(entry.created) >= now, "\(about)")
        model[key] = entry
    }

    /// The times are the cache's stamps: all different, and some milliseconds ahead of the clock.
    private func note(_ entry: inout ModelEntry, in storage: DiskStorage.Backend<Data>) throws {
        let info = try #require(try storage.entry(forKey: entry.key.text), "\(about)")
        #expect(info.created >= entry.created && info.lastAccess >= entry.accessed, "\(about)")
        (entry.created, entry.accessed) = (info.created, info.lastAccess)
    }

    private mutating func remove(_ key: ModelKey, in storage: DiskStorage.Backend<Data>) throws {
        steps.append("remove \(key.text)")
        try storage.remove(forKey: key.text)
        model[key] = nil
    }

    private mutating func update(_ key: ModelKey, in storage: DiskStorage.Backend<Data>) throws {
        let pin: Bool? = random([true, false, nil])
        let tags: Set<String>? = random([["red"], ["red", "blue"], ["é"], [], nil])
        steps.append("update \(key.text) \(String(describing: pin)) \(tags ?? ["as they are"])")
        #expect(
            try storage.update(.init(isPinned: pin, tags: tags), forKey: key.text) == (model[key] != nil), "\(about)")
        guard var entry = model[key] else { return }
        entry.isPinned = pin ?? entry.isPinned
        entry.tags = tags ?? entry.tags
        model[key] = entry
    }

    private mutating func touch(_ key: ModelKey, in storage: DiskStorage.Backend<Data>) throws {
        let extending: ExpirationExtending = random([
            .none, .cacheTime, .expirationTime(.seconds(50)), .expirationTime(.never),
        ])
        steps.append("read \(key.text) \(extending)")
        flush()
        let data = try storage.value(forKey: key.text, extendingExpiration: extending)
        guard var entry = model[key], !entry.isExpired(at: now) else {
            #expect(data == nil, "\(about)")
            return
        }
        #expect(data == .blob(Int(entry.size), count: Int(entry.size)), "\(about)")
        entry.hits += 1
        entry.extend(extending, from: now)
        try note(&entry, in: storage)
        model[key] = entry
    }

    private mutating func advance() {
        let seconds = Double(Int.random(in: 1...60, using: &generator))
        steps.append("\(seconds) s later")
        cache.clock.advance(by: seconds)
    }

    private mutating func reopen() {
        steps.append("reopen")
        cache.reopen()
    }

    // MARK: Many at once

    private mutating func evict(in storage: DiskStorage.Backend<Data>) throws {
        let kept = max(0, model.entries.count - Int.random(in: 0...4, using: &generator))
        steps.append("evict down to \(kept)")
        flush()
        let removal = try storage.store.evictor.evict(downTo: Totals(entries: Int64(kept), bytes: .max))
        #expect(removal.failure == nil, "\(about)")
        let order = model.list(.init(isPinned: false), .access, descending: false, at: now)
        for entry in order.prefix(model.entries.count - kept) { model[entry.key] = nil }
    }

    private mutating func expire(in storage: DiskStorage.Backend<Data>) throws {
        steps.append("remove expired")
        flush()
        let names = try storage.removeExpiredValues().map(\.lastPathComponent)
        let expired = model.list(.init(isExpired: true), .key, descending: false, at: now)
        #expect(Set(names) == Set(expired.map(\.fileName)), "\(about)")
        for entry in expired { model[entry.key] = nil }
    }

    private mutating func removeMatching(in storage: DiskStorage.Backend<Data>) throws {
        var filter = model.randomFilter(at: now, using: &generator)
        // Sometimes few entries, not most of them.
        if Bool.random(using: &generator) { filter.tag = "red" }
        // Removals refuse an empty prefix.
        if filter.keyPrefix == "" { filter.keyPrefix = nil }
        if filter.text == "" { filter.text = nil }
        steps.append("remove what is \(filter)")
        flush()
        let gone = try storage.removeEntries(matching: filter)
        let expected = model.list(filter, .key, descending: false, at: now)
        #expect(
            Set(gone.map(\.fileName)) == Set(expected.map(\.fileName)) && gone.count == expected.count,
            "\(about): \(filter)")
        for entry in expected { model[entry.key] = nil }
    }

    private mutating func removeEverything(in storage: DiskStorage.Backend<Data>) throws {
        steps.append("remove everything")
        try storage.removeAll()
        model = EntryModel()
    }

    // MARK: Comparing

    mutating func compare() throws {
        flush()
        let storage = random(storages)
        for _ in 0..<8 { try compareList(in: storage) }
        for key in ModelKey.all {
            try compareEntry(key, in: storage)
        }
    }

    private mutating func compareList(in storage: DiskStorage.Backend<Data>) throws {
        let filter = model.randomFilter(at: now, using: &generator)
        let order = random(EntryOrder.allCases)
        let descending = Bool.random(using: &generator)
        let size = random([1, 2, 3, 7, 100, .max])
        let about = "\(about); \(filter), \(order), descending \(descending), \(size) on a page"
        let expected = model.list(filter, order, descending: descending, at: now)
        var page = try storage.entries(matching: filter, sortedBy: order, descending: descending, limit: size)
        var found = page.entries
        while let next = page.next {
            #expect(page.entries.count == size, "\(about)")
            page = try storage.entries(after: next, matching: filter, limit: size)
            found += page.entries
            guard found.count <= expected.count else { break }
        }
        #expect(found.map(\.key) == expected.map(\.key.text), "\(about)")
        #expect(try storage.totals(matching: filter) == model.totals(filter, at: now), "\(about)")
    }

    private func compareEntry(_ key: ModelKey, in storage: DiskStorage.Backend<Data>) throws {
        let info = try storage.entry(forKey: key.text)
        guard let entry = model[key] else {
            #expect(info == nil, "\(about): \(key.text)")
            return
        }
        let found = try #require(info, "\(about): \(key.text)")
        #expect(
            found.key.map { Array($0.utf8) } == Array(key.text.utf8) && found.fileName == entry.fileName, "\(about)")
        #expect(found.baseKey == entry.base && found.processorIdentifier == entry.processor, "\(about): \(key.text)")
        #expect(found.size == entry.size && found.hits == entry.hits, "\(about): \(key.text)")
        #expect(found.created == entry.created && found.lastAccess == entry.accessed, "\(about): \(key.text)")
        #expect(found.expiration == entry.expiresAt.map { Timestamp(milliseconds: $0).date }, "\(about): \(key.text)")
        #expect(found.isPinned == entry.isPinned && Set(found.tags) == entry.tags, "\(about): \(key.text)")
        #expect(found.isExpired(at: now.date) == entry.isExpired(at: now), "\(about): \(key.text)")
    }
}

extension ModelEntry {
    fileprivate mutating func expire(_ expiration: StorageExpiration, from now: Timestamp) {
        guard case .seconds(let seconds) = expiration else {
            (expiresAt, timeToLive) = (nil, nil)
            return
        }
        timeToLive = Int64(seconds) * 1000
        expiresAt = now.milliseconds + Int64(seconds) * 1000
    }

    fileprivate mutating func extend(_ extending: ExpirationExtending, from now: Timestamp) {
        switch extending {
        case .none: break
        case .cacheTime: if let timeToLive { expiresAt = now.milliseconds + timeToLive }
        case .expirationTime(let expiration): expire(expiration, from: now)
        }
    }
}
