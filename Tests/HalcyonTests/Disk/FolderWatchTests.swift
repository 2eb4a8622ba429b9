import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A folder is not examined again while its dates show that no name in it has changed.
@Suite struct FolderWatchTests {
    private final class Fixture {
        let folder: TemporaryFolder
        let fileSystem = FaultyFileSystem()
        let watch: FolderWatch
        private(set) var looks = 0
        var isAsExpected = true
        var duringLook: () -> Void = {}

        init(lead: Double = 10) throws {
            folder = try TemporaryFolder()
            fileSystem.lead(by: lead)
            watch = FolderWatch(path: folder.url.path, fileSystem: fileSystem)
        }

        func check() throws -> Bool {
            try watch.check { () throws(SystemError) in
                looks += 1
                duringLook()
                return isAsExpected
            }
        }

        /// The kernel's clock for file dates advances only every few milliseconds.
        func change(_ body: (URL) throws -> Void) throws {
            Thread.sleep(forTimeInterval: 0.03)
            try body(folder.url.appendingPathComponent("a"))
        }
    }

    @Test func `an unchanged folder is examined once`() throws {
        let fixture = try Fixture()
        for _ in 0..<5 { #expect(try fixture.check()) }
        #expect(fixture.looks == 1)
    }

    @Test func `a folder that changed recently is examined each time`() throws {
        let fixture = try Fixture(lead: -3_600)
        for _ in 0..<3 { #expect(try fixture.check()) }
        #expect(fixture.looks == 3)
    }

    @Test func `a check that takes long proves nothing about what changes during it`() throws {
        let fixture = try Fixture(lead: -3_600)
        fixture.duringLook = { [fileSystem = fixture.fileSystem] in fileSystem.lead(by: 10) }
        for _ in 0..<3 { #expect(try fixture.check()) }
        #expect(fixture.looks == 2)
    }

    @Test func `whole seconds may be all that a volume records`() {
        for (changed, now, isOldEnough) in [
            (1_000_001, 1_000_101, false), (1_000_001, 1_000_102, true), (1_000_000, 1_003_000, false),
            (1_000_000, 1_003_001, true), (2_000_001, 1_000_000, false),
        ] {
            let (changed, now) = (Timestamp(milliseconds: Int64(changed)), Timestamp(milliseconds: Int64(now)))
            #expect(FolderWatch.isOldEnough(changed, at: now) == isOldEnough)
        }
    }

    @Test func `a folder is examined again after a name appears, is replaced or disappears`() throws {
        let fixture = try Fixture()
        #expect(try fixture.check())
        let other = fixture.folder.url.appendingPathComponent("b")
        let changes: [(URL) throws -> Void] = [
            { try Data().write(to: $0) },
            { try FileManager.default.moveItem(at: $0, to: other) },
            { try FileManager.default.createSymbolicLink(at: $0, withDestinationURL: other) },
            { try POSIXFileSystem().exchange($0.path, other.path) },
            { try FileManager.default.removeItem(at: $0) },
        ]
        for (number, change) in changes.enumerated() {
            try fixture.change(change)
            #expect(try fixture.check() && fixture.check())
            #expect(fixture.looks == number + 2)
        }
    }

    @Test func `a replaced folder is examined again`() throws {
        let fixture = try Fixture()
        #expect(try fixture.check())
        try fixture.change { _ in
            try FileManager.default.moveItem(atPath: fixture.folder.url.path, toPath: fixture.folder.url.path + "-old")
            try FileManager.default.createDirectory(at: fixture.folder.url, withIntermediateDirectories: false)
        }
        defer { try? FileManager.default.removeItem(atPath: fixture.folder.url.path + "-old") }
        #expect(try fixture.check())
        #expect(fixture.looks == 2)
    }

    @Test func `a folder with an unexpected or forgotten result is examined again`() throws {
        let fixture = try Fixture()
        fixture.isAsExpected = false
        #expect(try !fixture.check() && !fixture.check())
        fixture.isAsExpected = true
        #expect(try fixture.check())
        fixture.watch.forget()
        #expect(try fixture.check())
        #expect(fixture.looks == 4)
    }

    @Test(arguments: [Volume(name: "nfs", isNetworked: true), Volume(name: "fuse", hasStableInodes: false)])
    func `a folder on a volume with unreliable dates is examined each time`(volume: Volume) throws {
        let fixture = try Fixture()
        fixture.fileSystem.pretend(volume)
        for _ in 0..<3 { #expect(try fixture.check()) }
        #expect(fixture.looks == 3)
    }

    @Test func `a missing folder and a link to a folder contain nothing`() throws {
        let fixture = try Fixture()
        let moved = fixture.folder.url.path + "-old"
        defer { try? FileManager.default.removeItem(atPath: moved) }
        try fixture.change { _ in try FileManager.default.moveItem(atPath: fixture.folder.url.path, toPath: moved) }
        #expect(try !fixture.check())
        try FileManager.default.createSymbolicLink(atPath: fixture.folder.url.path, withDestinationPath: moved)
        #expect(try !fixture.check())
        #expect(fixture.looks == 0)
    }

    @Test func `a folder whose status cannot be read is an error`() throws {
        let fixture = try Fixture()
        fixture.fileSystem.fail(.status, EACCES)
        #expect(throws: SystemError.self) { try fixture.check() }
        #expect(try fixture.check())
    }

    @Test func `stores examine a folder once, and notice a deleted index and a link in place of the folder`() throws {
        try withCache { cache in
            cache.fileSystem.lead(by: 10)
            for number in 0..<3 { try cache.storage.store(value: .blob(number), forKey: "\(number)") }
            cache.settle()
            let before = cache.fileSystem.calls(of: .status)
            for number in 3..<13 { try cache.storage.store(value: .blob(number), forKey: "\(number)") }
            // The folder before staging and under the lock, and the place of the blob.
            #expect(cache.fileSystem.calls(of: .status) - before == 30)
            Thread.sleep(forTimeInterval: 0.03)
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: cache.index.path + suffix) }
            try cache.storage.store(value: .blob(20), forKey: "20")
            #expect(FileManager.default.fileExists(atPath: cache.index.path))
            #expect(try cache.storage.value(forKey: "20") == .blob(20))
            Thread.sleep(forTimeInterval: 0.03)
            let staging = cache.metadata.appendingPathComponent("staging")
            try FileManager.default.removeItem(at: staging)
            try FileManager.default.createSymbolicLink(at: staging, withDestinationURL: cache.folder.url)
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(21), forKey: "21") }
            try FileManager.default.removeItem(at: staging)
            try cache.storage.store(value: .blob(21), forKey: "21")
        }
    }
}
