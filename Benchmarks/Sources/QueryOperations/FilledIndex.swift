import CSQLite
import Foundation
import Halcyon

/// Puts rows into an index as stores would, only faster.
struct FilledIndex {
    let path: String
    /// Knows the names of files.
    let names: DiskStorage.Backend<Data>

    /// Four entries have one image.
    static func baseKey(_ image: Int) -> String {
        let number = String(image)
        return "https://img\(image % 100).example.com/p/" + String(repeating: "0", count: 24 - number.count) + number
            + ".jp"
    }

    /// Replaces a third of the entries by others, as weeks of use do.
    func churn(_ count: Int) throws {
        let database = try open()
        defer { sqlite3_close(database) }
        sqlite3_exec(database, "DELETE FROM entries WHERE id % 3 = 0", nil, nil, nil)
        try fill(count / 3, from: count)
    }

    private func open() throws -> OpaquePointer? {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else { throw CocoaError(.fileReadUnknown) }
        // The storage that made it may still be closing it.
        sqlite3_busy_timeout(database, 5_000)
        sqlite3_exec(database, "PRAGMA synchronous = OFF", nil, nil, nil)
        return database
    }

    /// - Parameter first: what the keys count from.
    func fill(_ count: Int, from first: Int = 0) throws {
        let database = try open()
        defer { sqlite3_close(database) }
        var statement: OpaquePointer?
        let sql = """
            INSERT INTO entries (id, name, key, token, inode, size, created_at, accessed_at, expires_at, time_to_live,
                source, base_length, slack)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7 + 604800000, 604800000, ?8, ?9, ?10)
            """
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw CocoaError(.fileReadUnknown)
        }
        defer { sqlite3_finalize(statement) }
        let begin = Int64(Date().timeIntervalSince1970 * 1000) - Int64(count)
        var generator = SystemRandomNumberGenerator()
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for start in stride(from: first, to: first + count, by: 1_000) {
            sqlite3_exec(database, "BEGIN", nil, nil, nil)
            for seed in start..<min(start + 1_000, first + count) {
                let id = Int64.random(in: 1...Int64.max, using: &generator)
                let name = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let base = Self.baseKey(seed / 4)
                let key = seed % 4 == 0 ? base : "\(base)@p\(seed % 4)"
                sqlite3_bind_int64(statement, 1, id)
                _ = name.withUnsafeBytes { sqlite3_bind_blob(statement, 2, $0.baseAddress, 32, transient) }
                sqlite3_bind_text(statement, 3, key, -1, transient)
                sqlite3_bind_int64(statement, 4, Int64.random(in: 1...Int64.max, using: &generator))
                sqlite3_bind_int64(statement, 5, 10_000_000 + Int64(seed))
                sqlite3_bind_int64(statement, 6, Int64.random(in: 1_000...100_000, using: &generator))
                sqlite3_bind_int64(statement, 7, begin + Int64(seed))
                sqlite3_bind_int64(statement, 8, source(of: base))
                sqlite3_bind_int64(statement, 9, Int64(base.count))
                sqlite3_bind_int64(statement, 10, 2_000)
                precondition(sqlite3_step(statement) == SQLITE_DONE)
                sqlite3_reset(statement)
            }
            sqlite3_exec(database, "COMMIT", nil, nil, nil)
        }
    }

    /// What the library makes of a key's SHA-256: the first 63 bits of the file name that the key has.
    private func source(of key: String) -> Int64 {
        let name = names.cacheFileURL(forKey: key).lastPathComponent
        return Int64((UInt64(name.prefix(16), radix: 16) ?? 0) & ~(1 << 63))
    }
}
