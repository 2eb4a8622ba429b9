import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonTestSupport
import Testing

/// Permissions do not apply to root. If root runs the tests, each of these runs in a child process that first becomes an ordinary user.
@Suite struct PermissionTests {
    @Test func `with a read-only parent, one initializer throws and the other creates a storage that is not ready`()
        async
    {
        await #expect(processExitsWith: .success) {
            try asOrdinaryUser { folder in
                try setPermissions(0o555, folder)
                let config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder)
                do {
                    _ = try DiskStorage.Backend<Data>(config: config)
                    try fail("the folder cannot be made, and nothing was thrown")
                } catch let error as KingfisherError {
                    try require(error.errorCode == 3005, "\(error)")
                }
                let storage = DiskStorage.Backend<Data>(
                    noThrowConfig: config, creatingDirectory: true, environment: StorageEnvironment())
                do {
                    try storage.store(value: Data([1]), forKey: "a")
                    try fail("stored into a folder that cannot be made")
                } catch let error as KingfisherError {
                    try require(error.errorCode == 3011, "\(error)")
                }
                try require(!storage.isCached(forKey: "a"), "nothing can be cached")
            }
        }
    }

    @Test func `a folder that became read-only: removing throws, and nothing is lost`() async {
        await #expect(processExitsWith: .success) {
            try asOrdinaryUser { folder in
                let storage = try makeStorage(in: folder)
                try storage.store(value: Data([1]), forKey: "a")
                try setPermissions(0o555, storage.directoryURL)
                do {
                    try storage.remove(forKey: "a")
                    try fail("removed from a read-only folder")
                } catch let error as KingfisherError {
                    try require(error.errorCode == 3003, "\(error)")
                }
                do {
                    try storage.store(value: Data([2]), forKey: "a")
                    try fail("stored into a read-only folder")
                } catch let error as KingfisherError {
                    try require(error.errorCode == 3009, "\(error)")
                }
                try require(try storage.value(forKey: "a") == Data([1]), "the old value is still there")
                try setPermissions(0o755, storage.directoryURL)
                try storage.remove(forKey: "a")
                try require(try storage.check().isSound, "sound")
            }
        }
    }

    @Test func `a blob that may not be read is an error, and stays cached`() async {
        await #expect(processExitsWith: .success) {
            try asOrdinaryUser { folder in
                let storage = try makeStorage(in: folder)
                try storage.store(value: Data([1]), forKey: "a")
                try setPermissions(0o000, storage.cacheFileURL(forKey: "a"))
                do {
                    _ = try storage.value(forKey: "a")
                    try fail("read a blob that may not be read")
                } catch let error as KingfisherError {
                    try require(error.errorCode == 3004, "\(error)")
                }
                try require(storage.isCached(forKey: "a"), "it is cached")
                try setPermissions(0o644, storage.cacheFileURL(forKey: "a"))
                try require(try storage.value(forKey: "a") == Data([1]), "and readable again")
            }
        }
    }

    @Test func `in a folder without search permission lookups miss, and rows are kept`() async {
        await #expect(processExitsWith: .success) {
            try asOrdinaryUser { folder in
                let storage = try makeStorage(in: folder)
                try storage.store(value: Data([1]), forKey: "a")
                try setPermissions(0o000, storage.directoryURL)
                try require(try storage.value(forKey: "a") == nil, "a miss")
                try require(!storage.isCached(forKey: "a"), "not cached")
                storage.store.housekeepingWait()
                try setPermissions(0o755, storage.directoryURL)
                try require(try storage.value(forKey: "a") == Data([1]), "the row was kept")
            }
        }
    }

    @Test func `with a read-only index, stores throw and nothing is reset`() async {
        await #expect(processExitsWith: .success) {
            try asOrdinaryUser { folder in
                let index: URL
                do {
                    let storage = try makeStorage(in: folder)
                    try storage.store(value: Data([1]), forKey: "a")
                    index = storage.directoryURL.appendingPathComponent(".halcyon/index.sqlite")
                    storage.store.close()
                }
                try setPermissions(0o444, index)
                let storage = DiskStorage.Backend<Data>(
                    noThrowConfig: DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder),
                    creatingDirectory: true, environment: environment())
                do {
                    try storage.store(value: Data([2]), forKey: "b")
                    try fail("stored into a read-only index")
                } catch let error as KingfisherError {
                    try require("\(error)".contains("writable"), "\(error)")
                }
                try setPermissions(0o644, index)
                try require(try storage.value(forKey: "a") == Data([1]), "nothing was reset")
            }
        }
    }

    /// Root creates it, and other users meet it.
    @Test(.enabled(if: getuid() == 0, "only root can make another user's folder"), arguments: [0o700, 0o755])
    func `another user's cache is left alone, and the errors say so`(mode: Int) async throws {
        let folder = try TemporaryFolder()
        let storage = try makeStorage(in: folder.url)
        try storage.store(value: Data([1]), forKey: "a")
        storage.store.close()
        try setPermissions(mode, storage.directoryURL)
        let before = try Contents(of: storage.directoryURL)
        await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
            try becomeOrdinaryUser()
            try useWithoutSuccess(URL(fileURLWithPath: path))
        }
        #expect(try Contents(of: storage.directoryURL) == before)
        #expect(try storage.value(forKey: "a") == Data([1]))
    }

    @Test func `a file in place of the folder is an error`() async throws {
        let folder = try TemporaryFolder()
        let config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder.url)
        try Data([1]).write(to: folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test"))
        let error = #expect(throws: KingfisherError.self) { _ = try DiskStorage.Backend<Data>(config: config) }
        #expect(error?.errorCode == 3005)
        let storage = DiskStorage.Backend<Data>(
            noThrowConfig: config, creatingDirectory: true, environment: StorageEnvironment())
        let notReady = #expect(throws: KingfisherError.self) { _ = try storage.value(forKey: "a") }
        #expect(notReady?.errorCode == 3011)
    }
}

// MARK: - In the child

private struct Failure: Error {
    let message: String
}

private func fail(_ message: String) throws { throw Failure(message: message) }

private func require(_ condition: Bool, _ message: String) throws { if !condition { try fail(message) } }

private func setPermissions(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
}

private func environment() -> StorageEnvironment {
    var environment = StorageEnvironment()
    environment.isShared = false
    // Retries an index that failed to open at once.
    environment.tuning.presenceInterval = 0
    return environment
}

private func makeStorage(in folder: URL) throws -> DiskStorage.Backend<Data> {
    try DiskStorage.Backend(
        config: DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder), environment: environment())
}

/// Names, permissions and bytes of everything in a folder.
private struct Contents: Equatable {
    private var permissions: [String: Int?] = [:]
    private var bytes: [String: Data] = [:]

    init(of folder: URL) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let url = folder.appendingPathComponent(name)
            permissions[name] = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            bytes[name] = try? Data(contentsOf: url)
        }
    }
}

/// Makes all calls on another user's cache.
private func useWithoutSuccess(_ folder: URL) throws {
    let storage = DiskStorage.Backend<Data>(
        noThrowConfig: DiskStorage.Config(name: "test", sizeLimit: 1, directory: folder), creatingDirectory: true,
        environment: environment())
    let calls: [() throws -> Void] = [
        { try storage.store(value: Data([2]), forKey: "a") }, { try storage.store(value: Data([2]), forKey: "b") },
        { try storage.remove(forKey: "a") }, { try storage.removeAll() }, { _ = try storage.removeExpiredValues() },
        { _ = try storage.removeSizeExceededValues() }, { _ = try storage.totalSize() }, { _ = try storage.check() },
        { _ = try storage.check(repair: true) },
    ]
    for (number, call) in calls.enumerated() {
        do {
            try call()
            try fail("call \(number) had success in another user's folder")
        } catch let error where !(error is Failure) {
            try require(error is KingfisherError || error is CacheStorageError || error is SystemError, "\(error)")
        }
    }
    try require(!storage.isCached(forKey: "a"), "nothing can be seen")
    storage.store.housekeepingWait()
}

/// Drops root's privileges.
private func becomeOrdinaryUser() throws {
    guard getuid() == 0 else { return }
    let nobody: UInt32 = 65_534
    try require(setgid(nobody) == 0 && setuid(nobody) == 0, "setuid")
    try require(getuid() == nobody && geteuid() == nobody, "still root")
}

/// Runs `body` with a folder, as a user to whom permissions apply.
private func asOrdinaryUser(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-user-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if getuid() == 0 {
        let nobody: UInt32 = 65_534
        try require(chown(folder.path, nobody, nobody) == 0, "chown")
        try becomeOrdinaryUser()
    }
    defer {
        let inside = folder.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        for url in [folder, inside] { try? setPermissions(0o755, url) }
        try? FileManager.default.removeItem(at: folder)
    }
    do {
        try body(folder)
    } catch {
        // The stack trace of a child process is not enough to find the cause.
        FileHandle.standardError.write(Data("failed in the child: \(error)\n".utf8))
        throw error
    }
}
