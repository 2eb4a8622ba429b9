import Foundation
import Halcyon
import HalcyonTestSupport
import Testing

/// The process ends at each step of each operation in turn, in a child; then another one looks.
///
/// Steps are the calls of the file system and the moment before each COMMIT. Whatever step it was: each key has its old
/// value or its new one, the acknowledged ones are there, and what is left over is found.
@Suite struct CrashTests {
    enum Operation: String, CaseIterable, Codable {
        case storeNew, overwrite, overwriteWithoutExchange, remove, evict, expire, removeAll
    }

    @Test(arguments: Operation.allCases)
    func `whatever step a process ends at, nothing is lost and nothing is mixed`(operation: Operation) async throws {
        for step in 1...60 {
            let folder = try TemporaryFolder()
            try Self.fill(folder.url)
            let path = folder.url.path
            let name = operation.rawValue
            await #expect(processExitsWith: .success) {
                [path = path as String, name = name as String, step = step as Int] in
                try Child.run(path: path, operation: name, step: step)
            }
            let didFinish = FileManager.default.fileExists(atPath: path + "/finished")
            try Self.examine(folder.url, after: operation, finished: didFinish, step: step)
            if didFinish { return }
        }
        Issue.record("\(operation) has more than 60 steps")
    }

    // MARK: Before

    static func fill(_ folder: URL) throws {
        let storage = try Child.storage(folder.path)
        for seed in 0..<6 {
            try storage.store(value: .blob(seed), forKey: "\(seed)", expiration: seed < 3 ? .days(1) : .days(9))
        }
        storage.store.housekeepingWait()
        storage.store.close()
    }

    // MARK: After

    private static func examine(_ folder: URL, after operation: Operation, finished: Bool, step: Int) throws {
        let storage = try Child.storage(folder.path)
        for round in 0..<2 {
            let found = try (0..<7).map { try storage.value(forKey: "\($0)", extendingExpiration: .none) }
            let before = (0..<7).map { $0 < 6 ? Data.blob($0) : nil }
            let after = operation.result(on: before)
            let outcomes = finished ? [after] : [before, after]
            #expect(outcomes.contains(found), "\(operation), step \(step), look \(round)")
            for (key, value) in found.enumerated() {
                #expect(storage.isCached(forKey: "\(key)") == (value != nil), "\(operation), step \(step)")
            }
            storage.store.housekeepingWait()
            storage.store.housekeepingWait()
        }
        #expect(try storage.check().counted == storage.check().noted)
        #expect(try storage.check(repair: true).integrityFindings == [])
        #expect(try storage.check().isSound, "\(operation), step \(step)")
        try storage.store(value: .blob(77), forKey: "after")
        #expect(try storage.value(forKey: "after") == .blob(77))
    }
}

extension CrashTests.Operation {
    /// What the operation makes of the values under "0" to "6".
    fileprivate func result(on values: [Data?]) -> [Data?] {
        var values = values
        switch self {
        case .storeNew: values[6] = .blob(60)
        case .overwrite, .overwriteWithoutExchange: values[2] = .blob(22)
        case .remove: values[2] = nil
        // One batch of four: of six entries of 100 bytes 250 may stay.
        case .evict: for key in 0..<4 { values[key] = nil }
        case .expire: for key in 0..<3 { values[key] = nil }
        case .removeAll: for key in 0..<7 { values[key] = nil }
        }
        return values
    }
}

/// What runs in the child process.
enum Child {
    static func storage(_ path: String, _ change: (inout StorageEnvironment) -> Void = { _ in }) throws
        -> DiskStorage.Backend<Data>
    {
        var environment = StorageEnvironment()
        environment.isShared = false
        change(&environment)
        return try DiskStorage.Backend(
            config: DiskStorage.Config(name: "crash", sizeLimit: 500, directory: URL(fileURLWithPath: path)),
            environment: environment)
    }

    static func run(path: String, operation name: String, step: Int) throws {
        guard let operation = CrashTests.Operation(rawValue: name) else { return }
        let countdown = Locked<Int?>(nil)
        let fileSystem = FaultyFileSystem()
        let endAtStep: @Sendable () -> Void = {
            let isLast = countdown.withLock { count in
                count = count.map { $0 - 1 }
                return count == 0
            }
            // As kill -9 does: no handler, no buffer written, nothing closed.
            if isLast { _exit(0) }
        }
        fileSystem.observe { _, _ in endAtStep() }
        if operation == .overwriteWithoutExchange { fileSystem.fail(.exchange, EINVAL, times: nil) }
        let clock = ManualClock()
        let storage = try storage(path) { environment in
            environment.fileSystem = fileSystem
            environment.now = { clock.now }
            environment.beforeCommit = {
                endAtStep()
                return true
            }
        }
        _ = try storage.totalSize()
        storage.store.housekeepingWait()
        if operation == .expire { clock.advance(by: 2 * 86_400) }
        countdown.withLock { $0 = step }
        try perform(operation, on: storage)
        countdown.withLock { $0 = nil }
        try Data().write(to: URL(fileURLWithPath: path + "/finished"))
        _exit(0)
    }

    private static func perform(_ operation: CrashTests.Operation, on storage: DiskStorage.Backend<Data>) throws {
        switch operation {
        case .storeNew: try storage.store(value: .blob(60), forKey: "6")
        case .overwrite, .overwriteWithoutExchange:
            try storage.store(value: .blob(22), forKey: "2", expiration: .days(9))
        case .remove: try storage.remove(forKey: "2")
        case .evict: _ = try storage.removeSizeExceededValues()
        case .expire: _ = try storage.removeExpiredValues()
        case .removeAll: try storage.removeAll()
        }
        storage.store.housekeepingWait()
    }
}
