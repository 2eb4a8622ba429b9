internal import Foundation
internal import HalcyonSQLite

/// A view of a cache from outside. Reading it creates no file, writes nothing and keeps nothing open, so you can poll a cache
/// while other processes use it.
@_spi(HalcyonTool) public struct IndexSnapshot: Sendable {
    public var totals = Totals(entries: 0, bytes: 0)
    /// Bytes that the volume has allocated for the blobs.
    public var allocatedBytes: Int64 = 0
    /// The counts of all processes, without those of the last ten seconds.
    public var counts = DiskStorage.Statistics.Counts()
    /// When counting began; nil if nothing was counted yet.
    public var since: Timestamp?
    /// Least recently used first.
    public var evictedNext: [Entry] = []
    /// Most recently used first.
    public var latest: [Entry] = []
    /// Largest first; nil if you did not ask for hosts.
    public var hosts: [Host]?

    /// The entries of a host. Its name is nil for keys that are not URLs.
    public struct Host: Sendable, Equatable {
        public let name: String?
        public let totals: Totals

        public init(name: String?, totals: Totals) {
            self.name = name
            self.totals = totals
        }
    }

    /// Earlier versions have other columns.
    fileprivate static let oldestVersion = 7

    public init() {}

    /// Reads the index in a cache's directory.
    ///
    /// - Parameters:
    ///   - rows: the maximum number of entries in each list.
    ///   - hosts: the maximum number of hosts; 0 for none. Hosts take about 0.5 µs per entry; everything else takes a
    ///     millisecond or two.
    /// - Returns: nil if the index does not exist or is just being created.
    /// - Throws: ``CacheStorageError`` if the index cannot be read now.
    public static func read(at folder: String, rows: Int, hosts: Int) throws -> IndexSnapshot? {
        let files = IndexFiles(
            database: BlobStore(directory: folder, fileSystem: POSIXFileSystem()).indexPath,
            fileSystem: POSIXFileSystem())
        do {
            return try files.readingUntouched { connection in
                try connection.reading { try IndexSession(connection: connection).snapshot(rows: rows, hosts: hosts) }
            }
        } catch {
            throw CacheStorageError(error)
        }
    }
}

extension IndexFiles {
    /// Opens the index briefly, without changing any file.
    fileprivate func readingUntouched<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
        for _ in 0..<5 {
            guard let before = try appearance() else { return nil }
            do {
                let result = try open(before).map(body)
                // Without a log, another process may have written to the pages during the read.
                if before.isLogged { return result }
                if try appearance() == before { return result }
            } catch {
                // Another process may have removed or replaced the files between two steps.
                guard try appearance() != before else { throw error }
            }
        }
        throw CacheStorageError(
            .indexUnavailable, "The index kept changing while it was being read.", remedy: "Try again in a moment.")
    }

    private struct Appearance: Equatable {
        var database: FileStatus
        var isLogged = false
    }

    /// nil if there is no index.
    private func appearance() throws -> Appearance? {
        guard let database = try status(at: database), database.kind == .regular, database.size > 0 else { return nil }
        try requireFiles()
        let hasLog = try status(at: log)?.size ?? 0 > 0
        guard hasLog, try status(at: sharedMemory)?.size ?? 0 == 0 else {
            return Appearance(database: database, isLogged: hasLog)
        }
        throw CacheStorageError(
            .indexUnavailable, "The index has a log that a crash left behind.",
            remedy: "Open the cache to recover it: with an app, or with ‘halcyon stats’.")
    }

    /// nil if the index is just being created.
    private func open(_ appearance: Appearance) throws -> Connection? {
        let connection = try Connection(
            path: database, access: .untouched(isLogged: appearance.isLogged), busyTimeout: 50)
        let version = try EntryIndex.migrator.userVersion(of: connection)
        guard version > 0 else { return nil }
        guard version >= IndexSnapshot.oldestVersion else {
            throw CacheStorageError(
                .indexUnavailable, "The index has schema version \(version), which is too old to show.",
                remedy: "Upgrade it: with an app that uses this version, or with ‘halcyon upgrade’.")
        }
        return connection
    }
}

extension IndexSession {
    private func hosts(limit: Int) throws(SQLiteError) -> [IndexSnapshot.Host] {
        try connection.with(IndexSQL.keys) { (statement) throws(SQLiteError) in
            var totals: [String?: Totals] = [:]
            while try statement.step() {
                totals[statement.host(at: 1), default: Totals(entries: 0, bytes: 0)].add(
                    size: statement.blobSize(at: 0))
            }
            return totals.map { IndexSnapshot.Host(name: $0.key, totals: $0.value) }
                .sorted { ($1.totals.bytes, $0.name ?? "") < ($0.totals.bytes, $1.name ?? "") }
                .prefix(limit).map(\.self)
        }
    }

    fileprivate func snapshot(rows: Int, hosts: Int) throws -> IndexSnapshot {
        var snapshot = IndexSnapshot()
        snapshot.totals = try totals()
        snapshot.allocatedBytes = snapshot.totals.bytes + (try slack())
        (snapshot.counts, snapshot.since) = try statistics()
        snapshot.evictedNext = try entries(withIDsFrom: IndexSQL.evictedNext, rows)
        let all = EntryConditions(.all, at: Timestamp(milliseconds: 0))
        snapshot.latest = try page(all, in: .access, descending: true, after: nil, limit: rows).records.map(\.entry)
        if hosts > 0 { snapshot.hosts = try self.hosts(limit: hosts) }
        return snapshot
    }
}

extension Statement {
    /// The host of the key in a column. The next column has the length of the image's key.
    func host(at column: Int32) -> String? {
        guard !isNull(at: column) else { return nil }
        let key = bytes(at: column)
        let parts = optionalInteger(at: column + 1).flatMap { KeyOrigin.parts(of: key, baseLength: Int(clamping: $0)) }
        return KeyOrigin.host(of: parts?.base ?? key[...])
            .map { KeyOrigin.lowercased(String(decoding: $0, as: UTF8.self)) }
    }
}

extension Totals {
    fileprivate mutating func add(size: Int64) { self = self + Totals(entries: 1, bytes: size) }
}
