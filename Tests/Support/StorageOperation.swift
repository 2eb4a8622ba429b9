package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// An operation on a cache during which each call fails in turn, or its process ends at each step in turn.
package enum StorageOperation: String, CaseIterable, Sendable {
    /// Openings: of a new folder; of one that a crash left in disorder; of one with an older index; of one with blobs and no index.
    case open, openOverLeftovers, migrate, adopt
    case storeNew, overwrite, overwriteWithoutExchange, overwriteWithoutLinks
    /// A new entry and an overwrite, with one commit.
    case storeTogether
    case value, isCached, list
    case update
    case remove, evict, expire, removeAll, removeMatching
    case repair, checkpoint, close, reopen

    /// Keys "0" to "5" are in the prepared folder, with ``Data/blob(_:count:)`` of their number; the first three live for a day. "6" is for
    /// new entries.
    package static let keys = (0..<7).map(String.init)
    package static let newValue = Data.blob(60)
    package static let otherValue = Data.blob(22)

    /// Whether it tests the opening of the storage.
    package var opens: Bool { [.open, .openOverLeftovers, .migrate, .adopt].contains(self) }
}

/// The visible state of the cache of an operation.
package struct CacheContents: Equatable, Sendable {
    /// The values under ``StorageOperation/keys``.
    package var values: [Data?]
    /// Whether "2" is pinned and has a tag; one update sets both.
    package var isPinned = false
    package var tags: [String] = []

    /// Before the operation.
    package init(before operation: StorageOperation) {
        values = (0..<7).map { $0 < 6 && operation != .open ? .blob($0) : nil }
        // The process itself stored it a moment before.
        if operation == .checkpoint || operation == .close { values[6] = StorageOperation.newValue }
    }

    /// The current state.
    package init(of storage: DiskStorage.Backend<Data>) throws {
        values = try StorageOperation.keys.map { try storage.value(forKey: $0, extendingExpiration: .none) }
        let entry = try storage.entry(forKey: "2")
        (isPinned, tags) = (entry?.isPinned ?? false, entry?.tags ?? [])
    }

    /// The state after the operation.
    package func after(_ operation: StorageOperation) -> CacheContents {
        var contents = self
        switch operation {
        case .storeNew: contents.values[6] = StorageOperation.newValue
        case .overwrite, .overwriteWithoutExchange, .overwriteWithoutLinks:
            contents.values[2] = StorageOperation.otherValue
        case .storeTogether:
            (contents.values[2], contents.values[6]) = (StorageOperation.otherValue, StorageOperation.newValue)
        case .remove: contents.values[2] = nil
        // One batch of four entries: of 600 bytes, at most 250 may stay.
        case .evict: contents.removeValues(0..<4)
        case .expire, .removeMatching: contents.removeValues(0..<3)
        case .removeAll: contents.removeValues(0..<7)
        case .update: (contents.isPinned, contents.tags) = (true, ["kept"])
        default: break
        }
        return contents
    }

    private mutating func removeValues(_ range: Range<Int>) { for index in range { values[index] = nil } }
}

/// A storage on a prepared folder, an operation on it, and the seams at which tests can disturb it.
package final class OperationRun {
    package let operation: StorageOperation
    package let fileSystem = FaultyFileSystem()
    package let vfs = FaultyVFS()
    private let clock = ManualClock()
    private let directory: URL
    private let tuning: Tuning
    package private(set) var storage: DiskStorage.Backend<Data>?

    /// - Parameter directory: the parent of the cache's folder.
    package init(_ operation: StorageOperation, in directory: URL, tuning: Tuning = .patient) {
        self.operation = operation
        self.directory = directory
        self.tuning = tuning
        // The dates of folders are then trusted, as in a folder that is some seconds old.
        fileSystem.lead(by: 10)
        switch operation {
        case .overwriteWithoutExchange: fileSystem.fail(.exchange, EINVAL, times: nil)
        case .overwriteWithoutLinks:
            fileSystem.fail(.exchange, EINVAL, times: nil)
            fileSystem.fail(.link, EPERM, times: nil)
        default: break
        }
    }

    // Releases the last connection before the file system that it uses.
    deinit { storage = nil }

    /// A storage as in an ordinary process, with the real file system.
    package static func storage(in directory: URL, _ change: (inout StorageEnvironment) -> Void = { _ in })
        -> DiskStorage.Backend<Data>
    {
        var environment = StorageEnvironment()
        environment.isShared = false
        environment.warn = { _ in }
        environment.tuning = .patient
        change(&environment)
        return DiskStorage.Backend(
            noThrowConfig: DiskStorage.Config(name: "operation", sizeLimit: 500, directory: directory),
            creatingDirectory: false, environment: environment)
    }

    private func makeStorage() -> DiskStorage.Backend<Data> {
        Self.storage(in: directory) { environment in
            environment.fileSystem = fileSystem
            environment.vfs = vfs.name
            environment.now = { [clock] in clock.now }
            environment.uptime = { [clock] in clock.uptime }
            environment.tuning = tuning
        }
    }

    /// Everything before the operation.
    package func begin() throws {
        let storage = makeStorage()
        self.storage = storage
        guard !operation.opens else { return }
        _ = try storage.totalSize()
        settle()
        switch operation {
        case .expire: clock.advance(by: 2 * 86_400)
        case .checkpoint, .close:
            try storage.store(value: StorageOperation.newValue, forKey: "6", expiration: .days(9))
            _ = try storage.value(forKey: "2", extendingExpiration: .none)
        default: break
        }
    }

    /// Its result, if it has one.
    package enum Result: Equatable, Sendable {
        case done, value(Data?), isCached(Bool), isNoted(Bool)
        /// File names, sorted.
        case removed([String]), listed([String])
    }

    package func perform() throws -> Result {
        guard let storage else { return .done }
        switch operation {
        case .open, .openOverLeftovers, .migrate, .adopt: _ = try storage.totalSize()
        case .storeNew: try storage.store(value: StorageOperation.newValue, forKey: "6", expiration: .days(9))
        case .overwrite, .overwriteWithoutExchange, .overwriteWithoutLinks:
            try storage.store(value: StorageOperation.otherValue, forKey: "2", expiration: .days(9))
        case .storeTogether:
            for result in try storage.storeTogether([
                ("2", StorageOperation.otherValue), ("6", StorageOperation.newValue),
            ]) { try result.get() }
        case .remove: try storage.remove(forKey: "2")
        case .removeAll: try storage.removeAll()
        case .repair: _ = try storage.check(repair: true)
        case .checkpoint: storage.store.index.checkpoint()
        case .close: storage.store.close()
        case .reopen:
            storage.store.close()
            _ = try storage.totalSize()
        default: return try performTelling(storage)
        }
        return .done
    }

    private func performTelling(_ storage: DiskStorage.Backend<Data>) throws -> Result {
        switch operation {
        case .value:
            let value = try storage.value(forKey: "2", extendingExpiration: .expirationTime(.days(20)))
            storage.store.flushAccessLogNow()
            return .value(value)
        case .isCached: return .isCached(storage.isCached(forKey: "2"))
        case .list: return .listed(try storage.entries(sortedBy: .key).entries.map(\.fileName).sorted())
        case .update: return .isNoted(try storage.update(.init(isPinned: true, tags: ["kept"]), forKey: "2"))
        case .evict: return .removed(try storage.removeSizeExceededValues().map(\.lastPathComponent).sorted())
        case .expire: return .removed(try storage.removeExpiredValues().map(\.lastPathComponent).sorted())
        case .removeMatching:
            let soon = clock.now.date.addingTimeInterval(2 * 86_400)
            return .removed(try storage.removeEntries(matching: .init(expiresBefore: soon)).map(\.fileName).sorted())
        default: return .done
        }
    }

    /// Waits for the housekeeping that it requested, and for what that requested.
    package func settle() {
        storage?.store.housekeepingWait()
        storage?.store.housekeepingWait()
    }

    /// Closes the storage as at the end of a process.
    package func end() {
        storage?.store.close()
        storage = nil
    }
}
