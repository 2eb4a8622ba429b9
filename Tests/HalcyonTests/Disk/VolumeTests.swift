import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Other kinds of volumes, as the file system seam reports them.
@Suite struct VolumeTests {
    @Test func `a file that must not be exchanged does not switch the exchange off for the others`() throws {
        try withCache { cache in
            for key in ["a", "b"] { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.fileSystem.fail(.exchange, EPERM)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(cache.fileSystem.calls(of: .link) == 1)
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(cache.fileSystem.calls(of: .link) == 1)
            for key in ["a", "b"] { #expect(try cache.storage.value(forKey: key) == .blob(2)) }
        }
    }

    @Test(arguments: ["nfs", "smb2", "fuse"])
    func `a network file system works without a write-ahead log and says so once`(name: String) throws {
        try withCache { cache in
            cache.fileSystem.pretend(Volume(name: name, isNetworked: true, hasStableInodes: false))
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            for seed in 0..<10 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(!FileManager.default.fileExists(atPath: cache.index.path + "-wal"))
            #expect(try Connection(path: cache.index.path).text("PRAGMA journal_mode") == "delete")
            let warnings = cache.warnings.withLock { $0 }
            #expect(warnings.count == 1 && warnings[0].contains(name) && warnings[0].contains("write-ahead log"))
            try cache.storage.remove(forKey: "3")
            #expect(try cache.storage.totalSize() == 900)
        }
    }

    @Test func `on a network file system, a cleared folder stays, because another process may use it`() throws {
        try withCache { cache in
            cache.fileSystem.pretend(Volume(name: "nfs", isNetworked: true, hasStableInodes: false))
            try cache.makeStorage().store(value: .blob(1), forKey: "a")
            try cache.storage.removeAll(skipCreatingDirectory: true)
            #expect(FileManager.default.fileExists(atPath: cache.index.path))
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    @Test func `a cache with a log moves to a volume without one`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.storage.store.close()
            cache.fileSystem.pretend(Volume(name: "nfs", isNetworked: true, hasStableInodes: false))
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(!FileManager.default.fileExists(atPath: cache.index.path + "-wal"))
        }
    }

    @Test func `a volume that is mounted over the folder later is noticed at the next opening`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.pretend(Volume(name: "nfs", isNetworked: true, hasStableInodes: false))
            for seed in 2...3 {
                cache.storage.store.close()
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)")
                #expect(try Connection(path: cache.index.path).text("PRAGMA journal_mode") == "delete")
            }
            #expect(!FileManager.default.fileExists(atPath: cache.index.path + "-wal"))
            #expect(cache.warnings.withLock { $0.count } == 1)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `without stable inode numbers, length and tag identify a blob`() throws {
        try withCache { cache in
            cache.fileSystem.pretend(Volume(name: "exfat", hasStableInodes: false))
            try cache.storage.store(value: .blob(1), forKey: "a")
            let url = cache.storage.cacheFileURL(forKey: "a")
            let date = try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate])
            let files = POSIXFileSystem()
            let tag = try files.status(at: url.path).modifiedMicroseconds
            try Data(contentsOf: url).write(to: url, options: .atomic)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            try Data.blob(2).write(to: url, options: .atomic)
            // One date in a thousand would match.
            let file = try files.openForReading(url.path)
            try files.setModified(Timestamp(Date()), microseconds: tag % 999 + 1, of: file)
            files.close(file)
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    /// Some file systems in user space ignore a change of dates, and report success.
    @Test func `where files do not keep their dates, a store throws instead of becoming a miss`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.pretend { $0.modifiedMicroseconds = $0.modifiedMicroseconds % 999 + 1 }
            let error = #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(2), forKey: "b")
            }
            #expect("\(try #require(error))".contains("does not keep modification dates"))
            cache.fileSystem.pretend(nil)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(try cache.storage.value(forKey: "b") == nil && cache.names(in: "staging").isEmpty)
        }
    }

    @Test func `a directory with a path that is too long for SQLite is refused with the remedy`() throws {
        let folder = try TemporaryFolder()
        func storage(_ length: Int) throws -> DiskStorage.Backend<Data> {
            var (config, url) = (DiskStorage.Config(name: "long", sizeLimit: 0), folder.url)
            while url.path.utf8.count < length - 100 { url.appendPathComponent(String(repeating: "a", count: 90)) }
            url.appendPathComponent(String(repeating: "b", count: length - url.path.utf8.count - 1))
            config.cachePathBlock = { [url] _, _ in url }
            return DiskStorage.Backend(
                noThrowConfig: config, creatingDirectory: false, environment: StorageEnvironment())
        }
        let longest = try storage(482)
        try longest.store(value: .blob(1), forKey: "a")
        #expect(longest.directoryURL.path.utf8.count == 482)
        longest.store.close()
        let error = #expect(throws: KingfisherError.self) { try storage(483).store(value: .blob(1), forKey: "a") }
        #expect("\(try #require(error))".contains("shorter path"))
        // SQLite resolves the symlink first.
        let (real, link) = (folder.url.appendingPathComponent("real"), try storage(470).directoryURL)
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        var config = DiskStorage.Config(name: "long", sizeLimit: 0)
        config.cachePathBlock = { _, _ in link.appendingPathComponent(String(repeating: "c", count: 40)) }
        let linked = DiskStorage.Backend<Data>(noThrowConfig: config, creatingDirectory: false)
        try linked.store(value: .blob(2), forKey: "a")
        #expect(try linked.value(forKey: "a") == .blob(2))
        linked.close()
    }

    @Test(arguments: ["apfs", "hfs", "ufs", "tmpfs"])
    func `a volume that Apple's systems call local is trusted if its type is known`(name: String) {
        let volume = Volume(appleName: name, isLocal: true)
        #expect(!volume.isNetworked && volume.hasStableInodes)
        #expect(Volume(appleName: name, isLocal: false).isNetworked)
    }

    @Test(arguments: [
        "macfuse", "osxfuse", "fusefs", "virtiofs", "AppleVirtIOFS", "nfs", "smbfs", "webdav", "lifs", "msdos", "exfat",
        "",
    ])
    func `any other volume is not trusted, whatever the mount says`(name: String) {
        let volume = Volume(appleName: name, isLocal: true)
        #expect(volume.isNetworked && !volume.hasStableInodes)
    }

    #if os(Linux)
        @Test(arguments: [
            0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E,
            0x5265_4973,
            0x3153_464A, 0x3434, 0x8584_58F6, 0x7371_7368, 0xE0F5_E1E2, 0x9660, 0x1501_3346, 0x4244, 0x482B,
            0x7366_746E,
            0x4253_584E,
        ])
        func `a local file system has a log and stable inode numbers`(magic: Int64) {
            // What `statfs` returns is signed, and on some machines 32 bits wide.
            for number in [magic, Int64(Int32(truncatingIfNeeded: magic))] {
                let volume = Volume(magic: number)
                #expect(!volume.isNetworked && volume.hasStableInodes && !volume.name.hasPrefix("0x"))
            }
        }

        @Test(arguments: [0x4D44, 0x2011_BAB0])
        func `a local file system without inode numbers has a log`(magic: Int64) {
            #expect(!Volume(magic: magic).isNetworked && !Volume(magic: magic).hasStableInodes)
        }

        @Test(arguments: [
            0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6573_5546, 0x0BD0_0BD0,
            0x4750_4653, 0x1983_0326, 0x0116_1970, 0x7461_636F, 0x786F_4256, 0x6B41_4653, 0x2003_0528, 0x1234_5678, 0,
        ])
        func `a shareable or unknown file system has no log and no stable inode numbers`(magic: Int64) {
            let volume = Volume(magic: magic)
            #expect(volume.isNetworked && !volume.hasStableInodes)
        }

        @Test func `the warning about an unknown file system names its number`() throws {
            try withCache { cache in
                cache.fileSystem.pretend(Volume(magic: 0x1234_5678))
                try cache.storage.store(value: .blob(1), forKey: "a")
                #expect(cache.warnings.withLock { $0 }.contains { $0.contains("(0x12345678)") })
            }
        }
    #endif

    @Test func `this machine's volumes have names`() throws {
        #expect(try POSIXFileSystem().volume(at: "/").name.isEmpty == false)
        #expect(throws: SystemError.self) { _ = try POSIXFileSystem().volume(at: "/no/such/folder") }
    }
}
