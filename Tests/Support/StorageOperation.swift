package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// What is done to a cache while each of its calls fails in turn, or while its process ends at each step in turn.
package enum StorageOperation: String, CaseIterable, Sendable {
    /// Of a new folder; of one that a crash left in disorder; of one with an older index; of one with blobs and no index.
    case open, openOverLeftovers, migrate, adopt
    case storeNew, overwrite, overwriteWithoutExchange, overwriteWithoutLinks
    /// A new one and one in the place of another, with one commit.
    case storeTogether
    case value, isCached, list
    case update
    case remove, evict, expire, removeAll, removeMatching
    case repair, checkpoint, close, reopen

    /// Keys "0" to "5" are in the prepared folder, with ``Data/blob(_:count:)`` of their number; the first three live for a day.
    /// "6" is for what is new.
    package static let keys = (0..<7).map(String.init)
    package static let newValue = Data.blob(60)
    package static let otherValue = Data.blob(22)

    /// Whether opening the storage is what it is about.
    package var opens: Bool { [.open, .openOverLeftovers, .migrate, .adopt].contains(self) }
}

/// The visible state of the cache of an operation.
package struct CacheContents: Equatable, Sendable {
    /// The values under ``StorageOperation/keys``.
    package var values: [Data?]
    /// Whether "2" is pinned and has a tag: both are noted at once.
    package var isPinned = false
    package var tags: [String] = []

    /// In front of the operation.
    package init(before operation: StorageOperation) {
        values = (0..<7).map { $0 < 6 && operation != .open ? .blob($0) : nil }
        // Stored by the process itself, a moment before.
        if operation == .checkpoint || operation == .close { values[6] = StorageOperation.newValue }
    }

    /// What is there now.
    package init(of storage: DiskStorage.Backend<Data>) throws {
        values = try StorageOperation.keys.map { try storage.value(forKey: $0, extendingExpiration: .none) }
        let entry = try storage.entry(forKey: "2")
        (isPinned, tags) = (entry?.isPinned ?? false, entry?.tags ?? [])
    }

    /// What the operation makes of it.
    package func after(_ operation: StorageOperation) -> CacheContents {
        var contents = self
        switch operation {
        case .storeNew: contents.values[6] = StorageOperation.newValue
        case .overwrite, .overwriteWithoutExchange, .overwriteWithoutLinks:
            contents.values[2] = StorageOperation.otherValue
        case .storeTogether:
            (contents.values[2], contents.values[6]) = (StorageOperation.otherValue, StorageOperation.newValue)
        case .remove: contents.values[2] = nil
        // One batch of four: of six entries of 100 bytes 250 may stay.
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

/// A storage on a prepared folder, an operation that is done to it, and the seams at which it can be disturbed.
package final class OperationRun {
    package let operation: StorageOperation
    package let fileSystem = FaultyFileSystem()
    package let vfs = FaultyVFS()
    private let clock = ManualClock()
    private let directory: URL
    private let tuning: Tuning
    package private(set) var storage: DiskStorage.Backend<Data>?

    /// - Parameter directory: what the cache's folder is in.
    package init(_ operation: StorageOperation, in directory: URL, tuning: Tuning = .patient) {
        self.operation = operation
        self.directory = directory
        self.tuning = tuning
        // What was looked at once is then trusted as it is in a folder that is some seconds old.
        fileSystem.lead(by: 10)
        switch operation {
        case .overwriteWithoutExchange: fileSystem.fail(.exchange, EINVAL, times: nil)
        case .overwriteWithoutLinks:
            fileSystem.fail(.exchange, EINVAL, times: nil)
            fileSystem.fail(.link, EPERM, times: nil)
        default: break
        }
    }

    // The last connection goes before the file system that it uses.
    deinit { storage = nil }

    /// A storage as a process of its own has one, with nothing between it and the system.
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

    /// All that comes before it.
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

    /// What it did, where it says so.
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

    /// Waits for what it requested of housekeeping, and what that requested.
    package func settle() {
        storage?.store.housekeepingWait()
        storage?.store.housekeepingWait()
    }

    /// Closes the storage as the end of a process does.
    package func end() {
        storage?.store.close()
        storage = nil
    }
}
