import Foundation
import Halcyon
import HalcyonSQLite
import HalcyonTestSupport
import Testing

/// Volumes of other kinds, as the file system seam tells them.
@Suite struct VolumeTests {
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

    @Test func `where inode numbers do not last, length and tag decide`() throws {
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
            // Of a thousand dates one would do.
            let file = try files.openForReading(url.path)
            try files.setModified(Timestamp(Date()), microseconds: tag % 999 + 1, of: file)
            files.close(file)
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    @Test func `this machine's volumes are told by name`() throws {
        #expect(try POSIXFileSystem().volume(at: "/").name.isEmpty == false)
        #expect(throws: SystemError.self) { _ = try POSIXFileSystem().volume(at: "/no/such/folder") }
    }
}
