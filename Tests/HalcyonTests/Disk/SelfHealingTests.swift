import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonSQLite
import HalcyonTestSupport
import Testing

/// Changes that another program makes to a blob.
@Suite struct SelfHealingTests {
    enum Damage: CaseIterable {
        case missing, shortened, lengthened, replacedBySameLength, deletedAndMadeAnew, overwrittenInPlace, folder,
            filledFolder, symbolicLink, danglingLink, pipe

        func inflict(on url: URL) throws {
            let manager = FileManager.default
            switch self {
            case .missing: try manager.removeItem(at: url)
            case .shortened: try Data.blob(1, count: 50).write(to: url)
            case .lengthened: try Data.blob(1, count: 150).write(to: url)
            case .replacedBySameLength: try Data.blob(9).write(to: url, options: .atomic)
            case .deletedAndMadeAnew:
                // Many file systems give the new file the old one's inode number.
                try manager.removeItem(at: url)
                try Data.blob(9).write(to: url)
            case .overwrittenInPlace:
                let handle = try FileHandle(forWritingTo: url)
                try handle.write(contentsOf: Data.blob(9))
                try handle.close()
            case .folder, .filledFolder:
                try manager.removeItem(at: url)
                try manager.createDirectory(at: url, withIntermediateDirectories: false)
                if self == .filledFolder { try Data([1]).write(to: url.appendingPathComponent("precious")) }
            case .symbolicLink:
                try manager.moveItem(at: url, to: url.appendingPathExtension("away"))
                try manager.createSymbolicLink(at: url, withDestinationURL: url.appendingPathExtension("away"))
            case .danglingLink:
                try manager.removeItem(at: url)
                try manager.createSymbolicLink(atPath: url.path, withDestinationPath: "/nowhere")
            case .pipe:
                try manager.removeItem(at: url)
                #expect(mkfifo(url.path, 0o644) == 0)
            }
        }

        /// Only the date distinguishes the file from the blob.
        var keepsLength: Bool { [.replacedBySameLength, .deletedAndMadeAnew, .overwrittenInPlace].contains(self) }
    }

    private func microseconds(of url: URL) throws -> Int {
        try POSIXFileSystem().status(at: url.path).modifiedMicroseconds
    }

    @Test(arguments: Damage.allCases)
    func `a blob that does not match its row is a miss, and the row is deleted`(damage: Damage) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let url = cache.storage.cacheFileURL(forKey: "a")
            let tag = try microseconds(of: url)
            cache.settle()
            try damage.inflict(on: url)
            // One date in five hundred has no microseconds, or equals the blob's.
            while damage.keepsLength, try [0, tag].contains(microseconds(of: url)) { try damage.inflict(on: url) }
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.value(forKey: "a") == nil)
            cache.settle()
            #expect(try cache.storage.totalSize() == 0)
            if damage == .filledFolder {
                #expect(FileManager.default.fileExists(atPath: url.appendingPathComponent("precious").path))
            }
            try? FileManager.default.removeItem(at: url.appendingPathExtension("away"))
        }
    }

    @Test(arguments: Damage.allCases.filter { $0 != .filledFolder })
    func `the next store heals a damaged blob`(damage: Damage) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let url = cache.storage.cacheFileURL(forKey: "a")
            // The sweep after the opening deletes an empty folder in the blob's place.
            cache.settle()
            try damage.inflict(on: url)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
            #expect(try cache.storage.totalSize() == 100)
            try? FileManager.default.removeItem(at: url.appendingPathExtension("away"))
        }
    }

    @Test(arguments: Damage.allCases)
    func `a damaged blob can be removed`(damage: Damage) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let url = cache.storage.cacheFileURL(forKey: "a")
            // The sweep after the opening deletes an empty folder in the blob's place.
            cache.settle()
            try damage.inflict(on: url)
            try cache.storage.remove(forKey: "a")
            #expect(try cache.storage.totalSize() == 0)
            try? FileManager.default.removeItem(at: url.appendingPathExtension("away"))
        }
    }

    @Test(arguments: ["entries", "tags", "metadata", "statistics"])
    func `a table that another program drops while the index is open is made again, and no value is lost`(table: String)
        throws
    {
        try withCache { cache in
            func use() throws -> Bool {
                let isThere = try cache.storage.update(.init(tags: ["t"], metadata: ["a": "b"]), forKey: "a")
                _ = try cache.storage.statistics
                return try isThere && cache.storage.entry(forKey: "a")?.tags == ["t"]
            }
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try use())
            cache.settle()
            try Connection(path: cache.index.path).execute("PRAGMA writable_schema = ON; DROP TABLE \(table)")
            // One of these notices. The others work on the index that replaces it.
            _ = try? use()
            #expect(try use())
            cache.settle()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
        }
    }

    @Test(arguments: [false, true])
    func `sizes count a blob that was deleted from outside until its key is looked up`(isLoaded: Bool) throws {
        try withCache { cache in
            let keys = (0..<10).map { "\($0)" }
            for key in keys { try cache.storage.store(value: .blob(1), forKey: key) }
            for key in keys { try FileManager.default.removeItem(at: cache.storage.cacheFileURL(forKey: key)) }
            #expect(try cache.storage.totalSize() == 1_000)
            for key in keys {
                if isLoaded {
                    #expect(try cache.storage.value(forKey: key) == nil)
                } else {
                    #expect(!cache.storage.isCached(forKey: key))
                }
            }
            cache.settle()
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    /// The first bytes, the version for writers, and the root page of the entries.
    static let damages: [(Int, [UInt8])] = [(0, Array(repeating: 88, count: 16)), (18, [3]), (-1, [255])]

    /// Two processes that find the same damage would otherwise set aside the new index of the first one, and with it every key.
    @Test(arguments: damages)
    func `while an index is set aside, no other process can do that`(place: Int, bytes: [UInt8]) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", attributes: .init(isPinned: true))
            cache.storage.close()
            let root = try Connection(path: cache.index.path)
                .integer("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'")
            let file = try FileHandle(forWritingTo: cache.index)
            try file.seek(toOffset: UInt64(place < 0 ? Int(root ?? 0) * 4_096 - 4_096 : place))
            try file.write(contentsOf: Data(bytes))
            try file.close()
            let index = cache.index.path
            let (calls, refusals) = (Locked(0), Locked(0))
            cache.fileSystem.observe { call, path in
                guard call == .rename, path.hasPrefix(index), path.hasSuffix(".damaged"),
                    let other = try? Connection(path: index, busyTimeout: 0)
                else { return }
                calls.withLock { $0 += 1 }
                do throws(SQLiteError) { try other.lockFile() } catch {
                    if error.isBusy { refusals.withLock { $0 += 1 } }
                }
            }
            _ = try? cache.storage.value(forKey: "a")
            #expect(try cache.storage.update(.init(tags: ["t"]), forKey: "a"))
            cache.fileSystem.observe(nil)
            #expect(calls.withLock { $0 } == 1 && refusals.withLock { $0 } == 1)
            cache.settle()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `the target of a link is neither read nor changed`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let url = cache.storage.cacheFileURL(forKey: "a")
            let target = cache.folder.url.appendingPathComponent("target")
            try FileManager.default.moveItem(at: url, to: target)
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
            #expect(try cache.storage.value(forKey: "a") == nil)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try Data(contentsOf: target) == .blob(1))
        }
    }

    @Test func `if a non-empty folder is in the way, the error says what to do`() throws {
        try withCache { cache in
            let url = cache.storage.cacheFileURL(forKey: "secret-key")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try Data([1]).write(to: url.appendingPathComponent("precious"))
            let error = #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(1), forKey: "secret-key")
            }
            #expect("\(try #require(error))".contains("Move that directory"))
            #expect(cache.names(in: "staging").isEmpty)
            try FileManager.default.removeItem(at: url)
            try cache.storage.store(value: .blob(1), forKey: "secret-key")
        }
    }

    @Test(arguments: ["trash", "staging"])
    func `a reader finds a blob that a crash left in staging or trash, and the sweep puts it back`(place: String) throws
    {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let row = try #require(try cache.storage.store.index.read { try $0.page(after: .min, limit: 1).first })
            let url = cache.storage.cacheFileURL(forKey: "a")
            let token = place == "trash" ? row.token : 77
            let elsewhere = cache.metadata.appendingPathComponent("\(place)/\(row.id).\(token)")
            try FileManager.default.moveItem(at: url, to: elsewhere)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.storage.isCached(forKey: "a"))
            cache.reopen()
            _ = cache.storage.isCached(forKey: "a")
            cache.settle()
            #expect(FileManager.default.fileExists(atPath: url.path))
            #expect(cache.names(in: place).isEmpty)
        }
    }

    @Test func `the sweep keeps recent staged files and deletes old ones`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let left = cache.metadata.appendingPathComponent("staging/12345.678")
            try Data.blob(5).write(to: left)
            cache.reopen()
            _ = cache.storage.isCached(forKey: "a")
            cache.settle()
            #expect(FileManager.default.fileExists(atPath: left.path))
            cache.fileSystem.age(by: 601)
            cache.reopen()
            _ = cache.storage.isCached(forKey: "a")
            cache.settle()
            #expect(!FileManager.default.fileExists(atPath: left.path))
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test(arguments: [EACCES, EPERM, EIO, EMFILE])
    func `errors other than a missing file delete no row`(code: Int32) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.fail(.openForReading, code, times: nil)
            #expect(throws: KingfisherError.self) { try cache.storage.value(forKey: "a") }
            #expect(cache.storage.isCached(forKey: "a"))
            cache.fileSystem.heal()
            cache.settle()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }
}
