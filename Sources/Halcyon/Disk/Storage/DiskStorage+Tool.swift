internal import Foundation

/// What the command line tool asks beyond the public API. Failures have their words here: ``CacheStorageError``.
extension DiskStorage.Backend {
    /// Opens the index now.
    ///
    /// An index that cannot be used makes lookups miss; whoever asks at a terminal wants to know why.
    ///
    /// - Parameter isPatient: whether it waits like a store where the index is to be made or upgraded.
    @_spi(HalcyonTool) public func open(isPatient: Bool = false) throws {
        try explained { try isPatient ? store.index.openPatiently() : store.open() }
    }

    /// What is in the cache now.
    @_spi(HalcyonTool) public func summary() throws -> StorageSummary { try explained { try store.summary() } }

    /// Returns a value without counting the read: the entry's last access, its expiration and the statistics stay as they are.
    @_spi(HalcyonTool) public func peek(forKey key: String, forcedExtension: String? = nil) throws -> T? {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        do {
            return try store.peek(name, at: store.environment.now()).map(T.fromData)
        } catch {
            throw loadError(error, url: url(of: name))
        }
    }

    /// Whether anything is stored under a key, expired or not.
    @_spi(HalcyonTool) public func hasRowOrFile(forKey key: String, forcedExtension: String? = nil) throws -> Bool {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try explained {
            try name.withFormer.contains(where: store.hasRowOrFile)
        }
    }

    /// The row of a key, whether it is valid or not.
    @_spi(HalcyonTool) public func row(forKey key: String, forcedExtension: String? = nil) throws -> Entry? {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try explained {
            try store.index.read { try $0.entry(named: name) ?? name.former.flatMap($0.entry(named:)) }
        }
    }

    /// Takes over files that have no row, now and on this thread, and tells how far it is.
    @_spi(HalcyonTool) public func finishAdoption(_ progress: @escaping @Sendable (AdoptionProgress) -> Void) throws {
        store.adopter.listeners.add { if let now = $0 { progress(now) } }
        defer { store.adopter.listeners.finish() }
        try explained { try store.adopter.finish() }
    }

    /// Does what an upgrade of the index leaves for later, now and on this thread, and tells how many entries it has looked at.
    @_spi(HalcyonTool) public func finishUpgrade(_ progress: (Int) -> Void) throws {
        try explained { try store.sweeper.upgrader.finish(progress) }
    }

    /// Drops the row of a key whose blob is gone, now: a process that ends at once leaves housekeeping no time for it.
    @_spi(HalcyonTool) public func settle(forKey key: String, forcedExtension: String? = nil) throws {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        // An ordinary miss is no reason to take the write lock.
        try explained {
            guard try store.hasRowOrFile(of: name) else { return }
            try LockPatience.briefly { try store.settler.settleInTransaction(name) }
        }
    }

    /// As ``removeExpiredValues()``, asked before each batch whether to go on.
    @_spi(HalcyonTool) public func removeExpired(shouldContinue: (Removal) -> Bool) throws -> Removal {
        try explained { try store.evictor.removeExpired(at: store.environment.now(), shouldContinue: shouldContinue) }
    }

    /// As ``removeSizeExceededValues()`` with these limits, asked before each batch whether to go on.
    @_spi(HalcyonTool) public func evict(_ limits: StorageLimits, shouldContinue: (Removal) -> Bool) throws -> Removal {
        try explained { try store.evictor.evict(limits, shouldContinue: shouldContinue) }
    }

    /// As ``evict(_:shouldContinue:)``, down to a number of bytes and entries.
    package func evict(downTo target: Totals, shouldContinue: (Removal) -> Bool) throws -> Removal {
        try explained { try store.evictor.evict(downTo: target, shouldContinue: shouldContinue) }
    }

    /// Bytes and number of all entries.
    ///
    /// - Parameter adopting: false leaves files out that are still to be adopted, instead of adopting them first.
    @_spi(HalcyonTool) public func totals(adopting: Bool) throws -> Totals {
        try explained { try store.evictor.totals(adopting: adopting) }
    }

    /// What is to be left, were the limits kept now; nil where none is reached.
    @_spi(HalcyonTool) public func target(of limits: StorageLimits, adopting: Bool) throws -> Totals? {
        try explained { try store.evictor.target(of: limits, adopting: adopting) }
    }

    /// Hands over the entries that meet a filter, in an order, until `body` throws. As ``allEntries(matching:sortedBy:descending:)``.
    @_spi(HalcyonTool) public func forEachEntry(
        matching filter: DiskStorage.EntryFilter, sortedBy order: DiskStorage.EntryOrder, descending: Bool,
        _ body: (DiskStorage.EntryInfo) throws -> Void
    ) throws {
        var reader = reader(matching: filter, sortedBy: order, descending: descending)
        while let entries = try reader.next() { try entries.forEach(body) }
    }

    /// Takes keys out of the index that are not to be kept, now: a process that ends at once leaves housekeeping no time for it.
    @_spi(HalcyonTool) public func forgetKeys() throws { try explained { try store.sweeper.forgetKeys() } }

    /// Where the cache is; nil for a volume that does not say what it is.
    @_spi(HalcyonTool) public var volume: Volume? {
        try? store.environment.fileSystem.volume(at: directoryURL.path)
    }

    func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw CacheStorageError(error)
        }
    }
}

extension DiskStorage {
    /// Names in a folder, cache or not, in no order, until `body` returns false.
    @_spi(HalcyonTool) public static func forEachName(in folder: String, _ body: (String) throws -> Bool) throws {
        try POSIXFileSystem().list(folder, body)
    }
}
