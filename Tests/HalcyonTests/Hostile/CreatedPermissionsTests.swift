import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonSQLite
import HalcyonTestSupport
import Testing

/// Only this user can access what the cache creates, whatever the umask; what existed before keeps its permissions.
@Suite struct CreatedPermissionsTests {
    /// Each test in its own process: all threads share the umask.
    @Test(arguments: [0o000, 0o022, 0o077])
    func `only this user can read created files and folders`(mask: Int) async {
        await #expect(processExitsWith: .success) { [mask = mask as Int] in
            ChildLeaks.areNotCounted()
            umask(mode_t(mask))
            do {
                try withCache { cache in
                    try cache.fillEveryPlace()
                    try cache.requirePrivateContents()
                    // The repair empties the trash.
                    _ = try cache.storage.check(repair: true)
                }
            } catch {
                // The stack trace of a child process is not enough to find the cause.
                FileHandle.standardError.write(Data("failed in the child: \(error)\n".utf8))
                throw error
            }
        }
    }

    @Test func `missing parent folders get ordinary permissions`() async {
        await #expect(processExitsWith: .success) {
            ChildLeaks.areNotCounted()
            umask(0o022)
            let folder = try TemporaryFolder()
            let parent = folder.url.appendingPathComponent("one/two")
            let config = DiskStorage.Config(name: "a", sizeLimit: 0, directory: parent)
            for isEager in [true, false] {
                let storage = DiskStorage.Backend<Data>(noThrowConfig: config, creatingDirectory: isEager)
                try storage.store(value: .blob(1), forKey: "a")
                #expect(try permissions(of: parent) == 0o755)
                #expect(try permissions(of: parent.deletingLastPathComponent()) == 0o755)
                #expect(try permissions(of: storage.directoryURL) == 0o700)
                storage.store.close()
                try FileManager.default.removeItem(at: parent.deletingLastPathComponent())
            }
        }
    }

    @Test func `an adopted folder keeps its permissions`() throws {
        try withCache { cache in
            let folder = cache.directory
            cache.storage.store.close()
            try FileManager.default.removeItem(at: folder)
            let blob = cache.storage.cacheFileURL(forKey: "old")
            try makeFolder(folder, 0o755)
            try Data.blob(1).write(to: blob)
            try setPermissions(0o644, blob)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "old") == .blob(1))
            #expect(try cache.storage.totalSize() == 100)
            try cache.storage.store(value: .blob(2), forKey: "new")
            #expect(try permissions(of: folder) == 0o755)
            #expect(try permissions(of: blob) == 0o644)
            #expect(try permissions(of: cache.storage.cacheFileURL(forKey: "new")) == 0o600)
            #expect(try permissions(of: cache.metadata) == 0o700)
            #expect(try permissions(of: cache.index) == 0o600)
        }
    }

    @Test func `an index that was there keeps its permissions, and its log has the same`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            cache.storage.store.close()
            try setPermissions(0o640, cache.index)
            cache.reopen()
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(try permissions(of: cache.index) == 0o640)
            #expect(try permissions(of: URL(fileURLWithPath: cache.index.path + "-wal")) == 0o640)
        }
    }

    @Test func `a volume without permissions works`() throws {
        try withCache { cache in
            cache.fileSystem.fail(.makePrivate, ENOTSUP, times: nil)
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }
}

extension CacheFixture {
    /// Blobs, an overwritten one, one in the trash, a log, and an index that was set aside.
    fileprivate func fillEveryPlace() throws {
        for seed in 0..<3 { try storage.store(value: .blob(seed), forKey: "\(seed)") }
        try storage.store(value: .blob(9), forKey: "1")
        settle()
        storage.store.close()
        try Data("no database, and long enough to be looked at".utf8).write(to: index)
        try setPermissions(0o600, index)
        reopen()
        try storage.store(value: .blob(4), forKey: "4")
        #expect(FileManager.default.fileExists(atPath: index.path + ".damaged"))
        #expect(FileManager.default.fileExists(atPath: index.path + "-wal"))
        fileSystem.fail(.unlink, EIO, times: nil)
        try storage.remove(forKey: "2")
        settle()
        #expect(!names(in: "trash").isEmpty)
        fileSystem.heal()
    }

    fileprivate func requirePrivateContents() throws { try requirePrivate(directory) }
}

private func requirePrivate(_ folder: URL) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(names.count > 2)
    for url in names.map(folder.appendingPathComponent) + [folder] {
        let isFolder = try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        let expected = isFolder == .typeDirectory ? 0o700 : 0o600
        #expect(try permissions(of: url) == expected, "\(url.lastPathComponent)")
    }
}

private func makeFolder(_ url: URL, _ mode: Int) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try setPermissions(mode, url)
}

private func setPermissions(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
}

private func permissions(of url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
}
