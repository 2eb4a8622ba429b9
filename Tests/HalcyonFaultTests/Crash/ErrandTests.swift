import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Behavior that only shows in a process without other work, or at its end.
@Suite(.endsEvenIfItHangs) struct ErrandTests {
    #if os(Linux)
        @Test func `opening storages by the hundred takes a few threads`() throws {
            let folder = try TemporaryFolder()
            #expect(try CrashServerProcess().perform(.openOften, in: folder.url) == .finished)
        }
    #endif

    @Test func `a clear, an eviction, a check, a suspension and a close need no thread of the pool`() throws {
        let folder = try TemporaryFolder()
        #expect(try CrashServerProcess().perform(.useFullPool, in: folder.url) == .finished)
    }

    // MARK: The upgrade of an index

    @Test(arguments: 1..<MigrationFiles.all.count)
    func `eight processes at once upgrade an index once`(version: Int) async throws {
        let folder = try Folder()
        try OlderIndex.make(version: version, at: folder.indexPath)
        let url = folder.url
        try await withThrowingTaskGroup(of: CrashServerProcess.Outcome.self) { group in
            for _ in 0..<8 { group.addTask { try CrashServerProcess().perform(.read, in: url) } }
            for try await outcome in group { #expect(outcome == .finished) }
        }
        let storage = try DiskStorage.Backend<Data>(config: Errand.config(in: url))
        defer { storage.close() }
        #expect(try storage.store.index.ledger().map(\.version) == Array(1...MigrationFiles.all.count))
        // The rest of the upgrade, for which they were too short.
        try storage.store.sweeper.upgrader.finish()
        let connection = try folder.connection()
        #expect(try connection.integer("SELECT upgrading FROM state") == 0)
        #expect(try connection.integer("SELECT count(*) FROM entries WHERE key IS NOT NULL") == 500)
        #expect(try storage.check().isClean)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: (folder.indexPath as NSString).deletingLastPathComponent)
        #expect(!names.contains { $0.hasSuffix(".damaged") || $0.hasSuffix(".newer") })
    }

    // MARK: The end of a process

    /// A cache with the entries that an errand reads, none of which was read in the last minute.
    private final class Folder {
        let folder: TemporaryFolder
        var url: URL { folder.url }

        init() throws {
            folder = try TemporaryFolder()
            var environment = StorageEnvironment()
            environment.now = { Timestamp(Date()).advanced(by: -60_000) }
            environment.isShared = false
            let storage = try DiskStorage.Backend<Data>(config: Errand.config(in: folder.url), environment: environment)
            for key in Errand.keys { try storage.store(value: Data(key.utf8), forKey: key) }
            storage.close()
        }

        var indexPath: String {
            var config = Errand.config(in: url)
            return config.takeFolder().appendingPathComponent(".halcyon/index.sqlite").path
        }

        func connection() throws -> Connection {
            try Connection(path: indexPath, access: .readWriteCreate, busyTimeout: 5000)
        }

        /// Entries whose read is in the index.
        func readCount() throws -> Int64? {
            let connection = try connection()
            return try connection.integer("SELECT count(*) FROM entries WHERE rank > created_at + 30000")
        }

        func hits() throws -> Int64? { try connection().integer("SELECT hits FROM statistics") }
    }

    @Test func `the reads of a process that ends normally are in the index afterwards`() throws {
        // A disk that stalls for 250 ms costs the reads of one process.
        let hasAll = try (0..<3).contains { _ in
            let folder = try Folder()
            #expect(try folder.readCount() == 0)
            #expect(try CrashServerProcess().perform(.read, in: folder.url) == .finished)
            return try folder.readCount() == 500
        }
        #expect(hasAll)
    }

    @Test func `a process that calls exit from a closure that holds the lock ends`() throws {
        let folder = try Folder()
        // The end of the process rolls the current transaction back.
        #expect(try CrashServerProcess().perform(.readAndExitInside, in: folder.url) == .finished)
    }

    @Test func `a process ends soon while another one holds the lock`() throws {
        let folder = try Folder()
        let signal = Errand.signal(in: folder.url)
        let outcome: Locked<CrashServerProcess.Outcome?> = Locked(nil)
        let ended = DispatchSemaphore(value: 0)
        let url = folder.url
        Thread.detachNewThread {
            let result = try? CrashServerProcess().perform(.readAndWait, in: url)
            outcome.withLock { $0 = result }
            ended.signal()
        }
        while !FileManager.default.fileExists(atPath: signal.path) { usleep(1_000) }
        let connection = try folder.connection()
        try connection.begin()
        try FileManager.default.removeItem(at: signal)
        // A store would wait five seconds for the lock, and a close longer.
        #expect(ended.wait(timeout: .now() + 4) == .success)
        connection.rollBack()
        #expect(outcome.withLock { $0 } == .finished)
        #expect(try folder.readCount() == 0)
    }

    @Test func `a suspended process that exits writes nothing`() throws {
        let folder = try Folder()
        #expect(try CrashServerProcess().perform(.readAndSuspend, in: folder.url) == .finished)
        #expect(try folder.readCount() == 500)
    }

    @Test func `a forked copy that exits leaves the original's connections alone`() throws {
        let folder = try Folder()
        #expect(try CrashServerProcess().perform(.readBesideCopy, in: folder.url) == .killed)
        #expect(try folder.readCount() == 0)
    }
}
