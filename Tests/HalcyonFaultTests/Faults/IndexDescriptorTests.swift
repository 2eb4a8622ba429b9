import Foundation
import Halcyon
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

/// Only SQLite opens the files of the index. If a process closes any descriptor of a file, it loses all its POSIX locks on that file,
/// including those of SQLite.
@Suite(.endsEvenIfItHangs) struct IndexDescriptorTests {
    /// Observes the calls of the library's own file system.
    @Test func `no call of the library opens a file of the index`() throws {
        let folder = try TemporaryFolder()
        let use = EveryUse(in: folder.url)
        let opened = Locked<[String]>([])
        use.fileSystem.observe { call, path in
            // A file that SQLite has not opened yet may be created, because creating an existing file fails.
            if call == .openForReading, Self.isIndexFile(path) { opened.withLock { $0.append(path) } }
        }
        for step in EveryUse.Step.allCases {
            try use.perform(step)
            #expect(opened.withLock { $0 } == [], "\(step)")
        }
    }

    private static func isIndexFile(_ path: String) -> Bool {
        ["", "-wal", "-shm", "-journal"].contains { path.hasSuffix("index.sqlite\($0)") }
    }

    #if os(Linux)
        /// Observes the locks of this process, so it covers all libraries: a connection that believes it has a lock never requests it
        /// again.
        @Test func `no operation releases a lock of SQLite`() throws {
            let folder = try TemporaryFolder()
            let use = EveryUse(in: folder.url)
            for step in EveryUse.Step.allCases {
                try use.perform(step)
                #expect(try locked(use.index) == [use.index, "\(use.index)-shm"], "\(step)")
            }
        }

        /// Its log would be that of the new index, and closing it would release this process's locks on that.
        @Test func `a connection to an index that has been replaced releases no lock on the new one`() throws {
            let (vfs, cache, isReplaced) = (FaultyVFS(), try CacheFixture(), Locked(true))
            cache.environment.vfs = vfs.name
            vfs.observe { event in
                guard event.call == .open, event.isAfter, event.path?.hasSuffix("index.sqlite") == true,
                    !isReplaced.replace(with: true)
                else { return 0 }
                cache.storage.store.close()
                let old = cache.folder.url.appendingPathComponent("old")
                try? FileManager.default.moveItem(at: cache.directory, to: old)
                try? cache.storage.store(value: .blob(2), forKey: "b")
                return 0
            }
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            isReplaced.withLock { $0 = false }
            #expect(try cache.storage.entries(sortedBy: .key).entries.map(\.key) == ["b"])
            #expect(isReplaced.withLock { $0 })
            #expect(try locked(cache.index.path) == [cache.index.path, "\(cache.index.path)-shm"])
            cache.storage.close()
        }

        @Test(arguments: ["", "-shm"])
        func `the test would notice a released lock`(suffix: String) throws {
            let folder = try TemporaryFolder()
            let use = EveryUse(in: folder.url)
            try use.perform(.store)
            _ = try Data(contentsOf: URL(fileURLWithPath: use.index + suffix))
            try use.perform(.list)
            #expect(try !locked(use.index).contains(use.index + suffix))
        }

        /// The index files that this process has locked; each connection locks both.
        private func locked(_ index: String) throws -> [String] {
            try [index, "\(index)-shm"].filter { try !#require(FileLock.locks(of: getpid(), on: $0)).isEmpty }
        }

        @Test func `the kernel's lines about locks are parsed`() throws {
            let lock = try #require(FileLock(line: "lock:\t1: POSIX  ADVISORY  READ 15908 fe:00:9576640 128 EOF"))
            #expect(!lock.isExclusive && lock.bytes == 128...Int64.max)
            #expect(FileLock(line: "lock:\t1: FLOCK  ADVISORY  WRITE 15908 fe:00:16220312 0 EOF") == nil)
            #expect(FileLock(line: "flags:\t0100000") == nil)
        }
    #endif
}
