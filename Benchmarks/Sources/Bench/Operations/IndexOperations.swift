import BenchReport
import Foundation
import Halcyon

/// The bytes written to the index, and its size.
///
/// Counts the bytes that the process passes to `write` (`wchar` in /proc/self/io) without those of blobs, until the log has been copied
/// into the index file and both are closed. Pages that a volume writes again are not included.
struct IndexOperations {
    let volume: Volume

    static let names = ["write_amplification_hits", "write_amplification_store", "index_bytes_per_entry"]

    func rows() throws -> [ResultRow] {
        Progress.say("\(volume.name): the index")
        let cache = HalcyonCache(folder: volume.folder.appendingPathComponent("index"))
        var rows = [try stores(1_000, into: cache, from: 0, bytes: World.blobSize)]
        rows.insert(try hits(10_000, in: cache, entries: 1_000), at: 0)
        return rows + (try sizes(HalcyonCache(folder: volume.folder.appendingPathComponent("size"))))
    }

    private func hits(_ count: Int, in cache: HalcyonCache, entries: Int) throws -> ResultRow {
        let storage = try cache.storage()
        let bytes = try written(by: cache) {
            for number in 0..<count {
                try require(storage.value(forKey: Item.key(number % entries)) != nil)
            }
        }
        var row = row("write_amplification_hits", entries: entries, bytes, .atMost(1e6))
        row.bytes = World.blobSize
        return row
    }

    /// On average.
    private func stores(_ count: Int, into cache: HalcyonCache, from first: Int, bytes size: Int) throws -> ResultRow {
        let (storage, data) = (try cache.storage(), blob(size))
        let bytes = try written(by: cache) {
            for number in first..<first + count { try storage.store(value: data, forKey: Item.key(number)) }
        }
        var row = row(
            "write_amplification_store", entries: first + count, (bytes - Double(count * size)) / Double(count),
            .atMost(32 * 1_024))
        row.bytes = size
        return row
    }

    private func written(by cache: HalcyonCache, _ body: () throws -> Void) throws -> Double {
        try cache.flush()
        let before = Memory.written
        try body()
        try cache.flush()
        return Double(Memory.written - before)
    }

    /// Of entries with keys of 60 bytes.
    private func sizes(_ cache: HalcyonCache) throws -> [ResultRow] {
        let (count, storage, data) = (10_000, try cache.storage(), blob(64))
        for number in 0..<count { try storage.store(value: data, forKey: Item.key(number)) }
        return [row("index_bytes_per_entry", entries: count, try size(of: cache, entries: count), .atMost(300))]
    }

    private func size(of cache: HalcyonCache, entries: Int) throws -> Double {
        try cache.flush()
        return Double(cache.indexSize) / Double(entries)
    }

    private func row(_ name: String, entries: Int, _ value: Double, _ target: Target) -> ResultRow {
        var row = ResultRow(name, on: volume.kind, entries: entries, halcyon: Figure(value))
        row.unit = .bytes
        row.target = target
        return row
    }
}
