import Foundation
import Halcyon
import HalcyonTestSupport

/// Runs operations on a cache one after the other, and logs each.
final class Worker {
    let number: Int
    let keys: KeySpace
    let cache: Cache
    /// The previous operation.
    private(set) var lastError: (any Error)?
    private let journal: Journal
    /// nil for a disk without read errors.
    let disk: BadDisk?
    private let keyOfFile: [String: String]

    init(number: Int, keys: KeySpace, cache: Cache, journal: Journal, disk: BadDisk? = nil) {
        self.number = number
        self.keys = keys
        self.cache = cache
        self.journal = journal
        self.disk = disk
        let storage = cache.storage
        keyOfFile = Dictionary(
            keys.all.map { (storage.cacheFileURL(forKey: $0).lastPathComponent, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    @discardableResult
    func perform(_ operation: CacheOperation) throws -> Outcome {
        lastError = nil
        return try journal.log(operation) { number in
            do {
                let outcome = try outcome(of: operation, StoreID(worker: self.number, number: number))
                // On a bad disk, a cache that cannot read a value may report a miss.
                return outcome == .miss && disk != nil ? .failed("a miss on a bad disk") : outcome
            } catch let mixed as TortureValue.Mixed {
                return .wrong(mixed.text)
            } catch {
                lastError = error
                return .failed("\(error)")
            }
        }
    }

    /// Logs the cache's warnings.
    func logWarnings() throws {
        for warning in cache.takeWarnings() { try journal.write(.complaint(warning)) }
    }

    private func outcome(of operation: CacheOperation, _ identity: StoreID) throws -> Outcome {
        let storage = cache.storage
        switch operation {
        case .store(let key, let length, let isLasting):
            try store(TortureValue.bytes(of: identity, key: key, length: length), key: key, isLasting: isLasting)
        case .remove(let key): try storage.remove(forKey: key)
        case .value(let key):
            guard let bytes = try storage.value(forKey: key) else { return .miss }
            return .hit(try TortureValue.store(of: bytes, key: key))
        case .isCached(let key): return storage.isCached(forKey: key) ? .hit(nil) : .miss
        case .update(let key): try storage.update(.init(tags: ["seen by \(number)"]), forKey: key)
        case .evict: return .gone(try keys(of: storage.removeSizeExceededValues()))
        case .expire: return .gone(try keys(of: storage.removeExpiredValues()))
        case .removeAll: try storage.removeAll()
        case .page: return try page()
        case .totals: return try totals()
        case .open: cache.open()
        case .reopen: cache.reopen()
        }
        return .done
    }

    private func store(_ bytes: Data, key: String, isLasting: Bool) throws {
        try cache.storage.store(
            value: bytes, forKey: key, expiration: isLasting ? .days(7) : .seconds(0.2),
            attributes: .init(isPinned: keys.isPinned(key) ? true : nil))
    }

    private func keys(of files: [URL]) throws -> [String] {
        try files.map { file in
            guard let key = keyOfFile[file.lastPathComponent] else {
                throw TortureValue.Mixed(text: "an entry that nobody has stored was removed")
            }
            return key
        }
    }

    // MARK: Looks at many

    private func page() throws -> Outcome {
        let page = try cache.storage.entries(sortedBy: .size, descending: true, limit: 20)
        let isSorted = zip(page.entries, page.entries.dropFirst()).allSatisfy { $0.size >= $1.size }
        let areOurs = page.entries.allSatisfy { keyOfFile[$0.fileName] != nil }
        return isSorted && areOurs ? .done : .wrong("a page that is not sorted, or with entries that nobody has stored")
    }

    private func totals() throws -> Outcome {
        let totals = try cache.storage.totals()
        let entries = 0...Int64(keyOfFile.count)
        return entries.contains(totals.entries) && totals.bytes >= totals.entries * Int64(TortureValue.minimumLength)
            ? .done : .wrong("\(totals.entries) entries of \(keyOfFile.count) keys, \(totals.bytes) bytes")
    }
}
