import CSQLite
import Foundation
import Halcyon
import Workload

/// Inserts rows into an index like those of stores, only faster and without files, which no query reads.
final class FilledIndex {
    private let path: String
    /// Knows the names of files.
    private let names: DiskStorage.Backend<Data>
    private var database: OpaquePointer?
    private var statement: OpaquePointer?
    private var randomness = Randomness()

    struct Failure: Error {
        let description: String
    }

    private static let sql = """
        INSERT INTO entries (id, name, key, token, inode, size, created_at, rank, expires_at, time_to_live,
            source, base_length, host, slack)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7 + 604800000, 604800000, ?8, ?9, ?10, 2000)
        """

    /// Every tenth entry has one of ten.
    private static let tagSQL = """
        INSERT INTO tags (tag, id) SELECT 'tag ' || (inode / 10 % 10), id FROM entries WHERE inode % 10 = 0
        """

    /// - Parameter path: of an index that no connection has open.
    init(path: String, names: DiskStorage.Backend<Data>) throws {
        self.path = path
        self.names = names
        guard sqlite3_open(path, &database) == SQLITE_OK,
            // The process that created it may hold a lock for a moment longer than the log exists.
            sqlite3_busy_timeout(database, 5_000) == SQLITE_OK,
            sqlite3_exec(database, "PRAGMA synchronous = OFF", nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, Self.sql, -1, &statement, nil) == SQLITE_OK
        else { throw failure() }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    /// Addresses of 60 bytes, on a hundred hosts.
    static func baseKey(_ image: Int) -> String {
        let number = String(image)
        return "https://\(host(image))/p/" + String(repeating: "0", count: 26 - number.count) + number + ".jpg"
    }

    static func host(_ number: Int) -> String { "img\(number % 90 + 10).example.com" }

    static func tag(_ number: Int) -> String { "tag \(number % 10)" }

    /// Four entries belong to one image.
    static let variants = 4

    func fill(_ count: Int) throws {
        let begin = Int64(Date().timeIntervalSince1970 * 1_000) - Int64(count)
        for start in stride(from: 0, to: count, by: 1_000) {
            try execute("BEGIN")
            for number in start..<min(start + 1_000, count) { try insert(number, storedAt: begin + Int64(number)) }
            try execute("COMMIT")
        }
        try execute(Self.tagSQL)
    }

    private func insert(_ number: Int, storedAt time: Int64) throws {
        let image = number / Self.variants
        let base = Self.baseKey(image)
        let variant = number % Self.variants
        bind(1, .random(in: 1...Int64.max, using: &randomness))
        bindRandomName(2)
        bind(3, variant == 0 ? base : "\(base)@p\(variant)")
        bind(4, .random(in: 1...Int64.max, using: &randomness))
        bind(5, 10_000_000 + Int64(number))
        bind(6, .random(in: 1_000...100_000, using: &randomness))
        bind(7, time)
        bind(8, source(of: base))
        bind(9, Int64(base.utf8.count))
        bind(10, Self.host(image))
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
        sqlite3_reset(statement)
    }

    /// The id that the library derives from a key's SHA-256: the first 63 bits of the file name.
    private func source(of key: String) -> Int64 {
        let name = names.cacheFileURL(forKey: key).lastPathComponent
        return Int64((UInt64(name.prefix(16), radix: 16) ?? 0) & ~(1 << 63))
    }

    // MARK: SQLite

    /// SQLite copies what is bound.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }

    private func bind(_ index: Int32, _ value: String) {
        sqlite3_bind_text(statement, index, value, -1, Self.transient)
    }

    private func bindRandomName(_ index: Int32) {
        let name = (0..<32).map { _ in UInt8.random(in: 0...255, using: &randomness) }
        _ = name.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, 32, Self.transient) }
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    private func failure() -> Failure { Failure(description: String(cString: sqlite3_errmsg(database))) }
}
