package import Foundation
@_spi(HalcyonTool) package import Halcyon
internal import HalcyonSQLite

/// A storage in its own folder, with a clock and a file system that the test controls.
package final class CacheFixture: @unchecked Sendable {
    // Sendable because a test reopens it on its own thread only; everything else in it is Sendable.
    package let folder: TemporaryFolder
    package let clock = ManualClock()
    package let fileSystem = FaultyFileSystem()
    package var environment: StorageEnvironment
    package let warnings: Locked<[String]> = Locked([])
    private let vfs = FaultyVFS()
    private let commits = Locked(CommitFaults())
    private let judge: Locked<CommitJudge>
    /// Opened at first use.
    package private(set) lazy var storage = makeStorage()
    private let configure: (inout DiskStorage.Config) -> Void
    private let name: String

    package init(
        name: String = "test", tuning: Tuning = .patient,
        configure: @escaping (inout DiskStorage.Config) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        self.name = name
        self.configure = configure
        environment = StorageEnvironment()
        environment.fileSystem = fileSystem
        environment.tuning = tuning
        environment.isShared = false
        environment.now = { [clock] in clock.now }
        environment.uptime = { [clock] in clock.uptime }
        environment.warn = { [warnings] message in warnings.withLock { $0.append(message) } }
        judge = Locked(CommitJudge { [commits] in commits.withLock { $0.allow() } })
        vfs.beforeCommit { [judge] in judge.withLock { $0 }.allow() }
        environment.vfs = vfs.name
    }

    package var config: DiskStorage.Config {
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: folder.url)
        configure(&config)
        return config
    }

    /// Another storage on the same folder, with its own connections, like that of another process.
    ///
    /// - Parameter isOpened: false leaves the opening of the index to the first call.
    package func makeStorage(isOpened: Bool = true) -> DiskStorage.Backend<Data> {
        let storage = DiskStorage.Backend<Data>(
            noThrowConfig: config, creatingDirectory: isOpened, environment: environment)
        stores.withLock { $0.append(WeakStore(store: storage.store)) }
        return storage
    }

    private struct WeakStore: Sendable {
        weak var store: EntryStore?
    }

    private let stores: Locked<[WeakStore]> = Locked([])

    /// Closes the storage as at the end of a process, and opens a new one.
    package func reopen(_ change: (inout StorageEnvironment) -> Void = { _ in }) {
        storage.store.close()
        change(&environment)
        storage = makeStorage()
    }

    /// Deletes the origins from the rows: version 0.1.0 recorded none for entries stored without one.
    package func forgetOrigins() throws {
        try storage.store.index.write {
            try $0.execute("UPDATE entries SET source = NULL, base_length = NULL, host = NULL")
        }
    }

    /// Refuses `times` commits of the index, after a number that still succeed. Waits for housekeeping first, because its commits do not
    /// count; nor do those of the access log, unless the test includes them.
    package func refuseCommits(after: Int = 0, times: Int = 1, ofAccessLog: Bool = false) {
        settle()
        for store in stores.withLock({ $0.compactMap(\.store) }) where !ofAccessLog { store.flushAccessLogNow() }
        commits.withLock { ($0.after, $0.times) = (after, times) }
    }

    /// From now on, calls `allow` before each commit of the index instead, on the committing thread.
    package func beforeCommit(_ allow: @escaping @Sendable () -> Bool) { judge.withLock { $0.allow = allow } }

    /// Attempted commits of the index.
    package var commitCount: Int { commits.withLock { $0.count } }

    private struct CommitJudge {
        var allow: @Sendable () -> Bool
    }

    private struct CommitFaults {
        var after = 0
        var times = 0
        var count = 0

        mutating func allow() -> Bool {
            count += 1
            guard after == 0 else {
                after -= 1
                return true
            }
            guard times > 0 else { return true }
            times -= 1
            return false
        }
    }

    // MARK: Paths

    package var directory: URL { storage.directoryURL }
    package var metadata: URL { directory.appendingPathComponent(".halcyon") }
    package var index: URL { metadata.appendingPathComponent("index.sqlite") }
    package func names(in place: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: metadata.appendingPathComponent(place).path)) ?? []
    }

    /// Waits for all housekeeping requested so far.
    package func settle() {
        _ = storage
        for store in stores.withLock({ $0.compactMap(\.store) }) {
            store.housekeepingWait()
            // The tasks that the first ones have requested.
            store.housekeepingWait()
        }
    }

    /// Deletes the whole folder, as a cleaner app does, while this storage is idle.
    package func removeFolder() throws {
        settle()
        try FileManager.default.removeItem(at: directory)
    }

    /// Overwrites the first page of a table or of an SQL index.
    package func overwritePage(of table: String) throws {
        let root = try Connection(path: index.path).integer(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", table)
        guard let root else { throw CocoaError(.fileReadCorruptFile) }
        let handle = try FileHandle(forWritingTo: index)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(root - 1) * 4_096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
    }

    // MARK: At the end

    package struct Unsound: Error, CustomStringConvertible {
        package let report: CheckReport
        package var description: String { "the cache is not clean: \(report)" }
    }

    /// Throws unless index and folder agree and nothing is left over.
    package func requireClean() throws {
        fileSystem.heal()
        fileSystem.observe(nil)
        settle()
        let report = try storage.check()
        guard report.isClean else { throw Unsound(report: report) }
    }
}

/// Runs a test on its own storage and requires it to be clean at the end.
package func withCache(
    tuning: Tuning = .patient, configure: @escaping (inout DiskStorage.Config) -> Void = { _ in },
    _ body: (CacheFixture) throws -> Void
) throws {
    let cache = try CacheFixture(tuning: tuning, configure: configure)
    try body(cache)
    try cache.requireClean()
}
