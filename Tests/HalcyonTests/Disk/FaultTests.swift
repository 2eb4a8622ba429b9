import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// One call fails: the old value is still there, nothing is left over, and the error says why without the key.
@Suite struct FaultTests {
    @Test(arguments: [FaultyFileSystem.Call.createFile, .write, .setModified, .statusOfFile, .exchange, .rename])
    func `a store that fails leaves the old value`(call: FaultyFileSystem.Call) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "https://secret.example/token")
            // A store renames only on volumes without exchange.
            if call == .rename { cache.fileSystem.fail(.exchange, EINVAL, times: nil) }
            cache.fileSystem.fail(call, EIO, times: nil, path: call == .rename ? cache.directory.path : nil)
            let error = #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(2), forKey: "https://secret.example/token")
            }
            #expect(try #require(error).errorCode == 3009)
            #expect("\(try #require(error))".contains(String(cString: strerror(EIO))))
            #expect(!"\(try #require(error)) \(try #require(error).localizedDescription)".contains("secret"))
            cache.fileSystem.heal()
            #expect(cache.names(in: "staging").isEmpty && cache.names(in: "trash").isEmpty)
            #expect(try cache.storage.value(forKey: "https://secret.example/token") == .blob(1))
            try cache.storage.store(value: .blob(3), forKey: "https://secret.example/token")
            #expect(try cache.storage.value(forKey: "https://secret.example/token") == .blob(3))
        }
    }

    @Test func `a write that fails half way leaves the old value`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.writeShort(true)
            cache.fileSystem.fail(.write, EIO, after: 3)
            #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(2, count: 5_000), forKey: "a")
            }
            #expect(cache.names(in: "staging").isEmpty)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a blob that becomes shorter while it is read is a miss`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1, count: 5_000), forKey: "a")
            let blob = cache.storage.cacheFileURL(forKey: "a").path
            cache.storage.store.index.knownRows.forgetAll()
            cache.fileSystem.observe { call, _ in if call == .read { truncate(blob, 50) } }
            #expect(try cache.storage.value(forKey: "a") == nil)
            cache.fileSystem.observe(nil)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `without exchange, a store replaces what a crash has left in the trash for its row`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let row = try #require(try cache.storage.row(forKey: "a"))
            try Data.blob(7).write(to: cache.metadata.appendingPathComponent("trash/\(row.id).\(row.token)"))
            cache.fileSystem.fail(.exchange, EINVAL, times: nil)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `a file that may not be unlinked is not taken for a directory`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let name = BlobName(key: "a", isHashed: true, pathExtension: nil)
            cache.fileSystem.fail(.unlink, EPERM)
            #expect(throws: SystemError("unlink", EPERM)) { try cache.storage.store.blobs.unlink(name) }
        }
    }

    @Test(arguments: [EROFS, EACCES])
    func `a directory that exists need not be made, whatever the system says`(code: Int32) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.fail(.makeDirectory, code, times: nil)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a socket in place of a blob is a miss`() throws {
        let cache = try CacheFixture()
        let canary = try Canary(in: cache.folder.url)
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.settle()
        #expect(try PlantedThing.socket.plant(at: cache.storage.cacheFileURL(forKey: "a"), canary))
        #expect(try cache.storage.value(forKey: "a") == nil)
    }

    @Test func `short writes are continued`() throws {
        try withCache { cache in
            cache.fileSystem.writeShort(true)
            try cache.storage.store(value: .blob(2, count: 5_000), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2, count: 5_000))
        }
    }

    @Test func `a full disk empties the trash and tries once more`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let left = cache.metadata.appendingPathComponent("trash/1.2")
            try Data.blob(1).write(to: left)
            cache.fileSystem.fail(.write, ENOSPC)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
            #expect(!FileManager.default.fileExists(atPath: left.path))
        }
    }

    /// Some network volumes write when a file is closed.
    @Test(arguments: [(EDQUOT, CacheStorageError.Code.diskFull), (EIO, .fileSystem)])
    func `a store fails if its file cannot be closed`(error: Int32, code: CacheStorageError.Code) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.fail(.closeWritten, error, times: nil)
            let thrown = #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            #expect(thrown?.cause?.code == code)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.names(in: "staging").isEmpty)
        }
    }

    @Test func `a store fails if its file has lost bytes`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let staging = cache.metadata.appendingPathComponent("staging").path
            cache.fileSystem.observe { call, _ in
                guard call == .setModified, let names = try? FileManager.default.contentsOfDirectory(atPath: staging)
                else { return }
                for name in names { truncate(staging + "/" + name, 50) }
            }
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            cache.fileSystem.observe(nil)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a removal reaches a file that an interrupted store has linked into the trash`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let (name, row) = (
                BlobName(key: "a", isHashed: true, pathExtension: nil), try cache.storage.row(forKey: "a")
            )
            let kept = DetachedBlob(place: .trash, rowID: name.rowID, token: try #require(row).token)
            let blobs = cache.storage.store.blobs
            #expect(link(blobs.path(of: name), blobs.path(of: kept)) == 0)
            try cache.storage.remove(forKey: "a")
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.directory.path) == [".halcyon"])
        }
    }

    @Test func `a linked file is not removed through a link in place of the trash`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.settle()
        let (name, row) = (BlobName(key: "a", isHashed: true, pathExtension: nil), try cache.storage.row(forKey: "a"))
        let kept = DetachedBlob(place: .trash, rowID: name.rowID, token: try #require(row).token)
        let blobs = cache.storage.store.blobs
        let elsewhere = cache.folder.url.appendingPathComponent("elsewhere")
        let trash = cache.metadata.appendingPathComponent("trash")
        try FileManager.default.moveItem(at: trash, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: trash, withDestinationURL: elsewhere)
        #expect(link(blobs.path(of: name), cache.folder.url.appendingPathComponent("second").path) == 0)
        let bystander = elsewhere.appendingPathComponent((blobs.path(of: kept) as NSString).lastPathComponent)
        try Data.blob(7).write(to: bystander)
        try? cache.storage.remove(forKey: "a")
        cache.storage.close()
        #expect(try Data(contentsOf: bystander) == .blob(7))
    }

    @Test func `a disk that stays full is named as the cause`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.fail(.write, ENOSPC, times: nil)
            let error = #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            guard case .cacheError(.cannotCreateCacheFile(_, let key, let data, let cause))? = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
            #expect(key == "a" && data == .blob(2))
            #expect((cause as? CacheStorageError)?.code == .diskFull)
            #expect((cause as? CacheStorageError)?.errnoCode == ENOSPC)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    /// SQLite reports that as an I/O error.
    @Test func `an exhausted quota is a full disk also for the index, and removals and evictions make room`() throws {
        let vfs = FaultyVFS()
        let cache = try CacheFixture { $0.sizeLimit = 400 }
        cache.environment.vfs = vfs.name
        for seed in 0..<6 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        cache.settle()
        func files() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: cache.directory.path).count - 1
        }
        vfs.fail([.write: ResultCode.writeRefused.rawValue], errno: EDQUOT, times: nil)
        let error = #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(9), forKey: "new") }
        #expect(error?.cause?.code == .diskFull)
        try cache.storage.remove(forKey: "0")
        try #expect(files() == 5)
        _ = try? cache.storage.removeSizeExceededValues()
        try #expect(files() < 5)
        vfs.heal()
        _ = try cache.storage.removeSizeExceededValues()
        try #expect(cache.storage.totalSize() == 200)
        #expect(cache.storage.isCached(forKey: "5"))
        withExtendedLifetime(vfs) { cache.storage.close() }
    }

    @Test func `a refused commit after the publish puts the old value back`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            #expect(try Data(contentsOf: cache.storage.cacheFileURL(forKey: "a")) == .blob(1))
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.names(in: "staging").isEmpty)
        }
    }

    @Test func `a refused commit of a new entry leaves no file`() throws {
        try withCache { cache in
            _ = try cache.storage.totalSize()
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            #expect(!FileManager.default.fileExists(atPath: cache.storage.cacheFileURL(forKey: "a").path))
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    @Test func `when settling is refused too, readers still find the old value and the sweep puts it back`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.refuseCommits(times: .max)
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            cache.refuseCommits(times: 0)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            cache.settle()
            #expect(try Data(contentsOf: cache.storage.cacheFileURL(forKey: "a")) == .blob(1))
        }
    }

    @Test func `a refused commit of a removal keeps the entry`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.remove(forKey: "a") }
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(FileManager.default.fileExists(atPath: cache.storage.cacheFileURL(forKey: "a").path))
        }
    }

    @Test func `a refused commit of an eviction keeps the whole batch`() throws {
        try withCache(configure: { $0.sizeLimit = 500 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.removeSizeExceededValues() }
            for seed in 0..<10 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(try cache.storage.removeSizeExceededValues().count == 8)
        }
    }

    @Test(arguments: [true, false])
    func `a volume without exchange overwrites safely`(canLink: Bool) throws {
        try withCache { cache in
            cache.fileSystem.fail(.exchange, EINVAL, times: nil)
            if !canLink { cache.fileSystem.fail(.link, EPERM, times: nil) }
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "a") }
            #expect(try cache.storage.value(forKey: "a") == .blob(4))
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(9), forKey: "a") }
            #expect(try cache.storage.value(forKey: "a") == .blob(4))
            #expect(try Data(contentsOf: cache.storage.cacheFileURL(forKey: "a")) == .blob(4))
        }
    }

    @Test func `a volume without exchange is asked for it only once`() throws {
        try withCache { cache in
            let exchanges = Locked(0)
            cache.fileSystem.fail(.exchange, ENOSYS, times: nil)
            cache.fileSystem.observe { call, _ in if call == .exchange { exchanges.withLock { $0 += 1 } } }
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "a") }
            #expect(exchanges.withLock { $0 } == 1)
        }
    }

    @Test func `a staged file taken away before its publish is staged again`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let staging = cache.metadata.appendingPathComponent("staging")
            let isFirst = Locked(true)
            cache.fileSystem.observe { call, _ in
                guard call == .exchange,
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else {
                    return
                }
                for name in (try? FileManager.default.contentsOfDirectory(atPath: staging.path)) ?? [] {
                    try? FileManager.default.removeItem(at: staging.appendingPathComponent(name))
                }
            }
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `a value that cannot be encoded or decoded throws`() throws {
        struct Stubborn: DataTransformable, Sendable {
            struct No: Error {}
            func toData() throws -> Data { throw No() }
            static func fromData(_ data: Data) throws -> Stubborn { throw No() }
            static var empty: Stubborn { Stubborn() }
        }
        try withCache { cache in
            let storage = try DiskStorage.Backend<Stubborn>(config: cache.config, environment: cache.environment)
            let storing = #expect(throws: KingfisherError.self) { try storage.store(value: Stubborn(), forKey: "a") }
            #expect(storing?.errorCode == 3007)
            try cache.storage.store(value: .blob(1), forKey: "a")
            let loading = #expect(throws: KingfisherError.self) { _ = try storage.value(forKey: "a") }
            #expect(loading?.errorCode == 3004)
            #expect(storage.isCached(forKey: "a"))
        }
    }
}
