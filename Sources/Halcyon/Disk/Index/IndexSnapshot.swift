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
    /// Largest first; nil if you did not ask for hosts, or while an upgrade computes them.
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
    ///   - hosts: the maximum number of hosts; 0 for none. Hosts take about 1.5 µs per entry; everything else takes a
    ///     millisecond or two.
    /// - Returns: nil if the index does not exist or is just being created.
    /// - Throws: ``CacheStorageError`` if the index cannot be read now.
    public static func read(at folder: String, rows: Int, hosts: Int) throws -> IndexSnapshot? {
        do {
            return try IndexFiles(ofCache: folder).readingUntouched(isPatient: false) { connection in
                try connection.reading { try IndexSession(connection: connection).snapshot(rows: rows, hosts: hosts) }
            } ?? nil
        } catch {
            throw CacheStorageError(error)
        }
    }
}

extension IndexFiles {
    init(ofCache folder: String) {
        let files = BlobStore(directory: folder, fileSystem: POSIXFileSystem())
        self.init(database: files.indexPath, fileSystem: files.fileSystem)
    }

    /// Opens the index briefly, without changing any file.
    ///
    /// - Parameter isPatient: whether it waits up to a second for a lock.
    /// - Returns: nil if there is no index.
    func readingUntouched<Result>(isPatient: Bool, _ body: (Connection) throws -> Result) throws -> Result? {
        for _ in 0..<5 {
            guard let before = try appearance() else { return nil }
            do {
                let (access, timeout) = (Connection.Access.untouched(before.log), isPatient ? 1_000 : 50)
                let result = try body(Connection(path: database, access: access, busyTimeout: timeout))
                // Without shared memory, another process may have written to the pages during the read.
                if before.log == .shared { return result }
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
        let database: FileStatus
        let log: Connection.Log
    }

    /// nil if there is no index.
    private func appearance() throws -> Appearance? {
        guard let database = try status(at: database) else { return nil }
        try requireFiles()
        guard database.size > 0 else { return nil }
        guard try status(at: log)?.size ?? 0 > 0 else { return Appearance(database: database, log: .none) }
        let isShared = try status(at: sharedMemory)?.size ?? 0 > 0
        return Appearance(database: database, log: isShared ? .shared : .abandoned)
    }
}

extension IndexSession {
    /// nil if the index is just being created.
    fileprivate func snapshot(rows: Int, hosts: Int) throws -> IndexSnapshot? {
        let version = try EntryIndex.migrator.userVersion(of: connection)
        guard version > 0 else { return nil }
        guard version >= IndexSnapshot.oldestVersion else {
            throw CacheStorageError(
                .indexUnavailable, "The index has schema version \(version), which is too old to show.",
                remedy: "Upgrade it: with an app that uses this version, or with ‘halcyon upgrade’.")
        }
        var snapshot = IndexSnapshot()
        snapshot.totals = try totals()
        snapshot.allocatedBytes = snapshot.totals.bytes + (try slack())
        (snapshot.counts, snapshot.since) = try statistics()
        snapshot.evictedNext = try victims(need: Totals(entries: Int64(rows), bytes: 0), limit: rows)
        let all = EntryConditions(.all, at: Timestamp(milliseconds: 0))
        snapshot.latest = try page(all, in: .access, descending: true, after: nil, limit: rows).records.map(\.entry)
        // The background part of an upgrade computes them.
        let isComputing = try upgradeStep().map { $0.rawValue >= UpgradeStep.hosts.rawValue } ?? false
        guard hosts > 0, !isComputing else { return snapshot }
        snapshot.hosts = try connection.rows(IndexSQL.largestHosts, hosts) {
            let totals = Totals(entries: $0.quantity(at: 1), bytes: $0.quantity(at: 2))
            return .init(name: $0.optionalText(at: 0), totals: totals)
        }
        return snapshot
    }
}
