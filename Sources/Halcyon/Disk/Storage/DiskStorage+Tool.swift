internal import Foundation

/// What the command line tool needs beyond the public API. These functions throw ``CacheStorageError``.
extension DiskStorage.Backend {
    /// Opens the index now.
    ///
    /// If the index cannot be used, lookups are misses. The user of a command line wants to know why. Waits like a store if the index has
    /// to be created or upgraded.
    @_spi(HalcyonTool) public func open() throws { try explained { try store.index.openForChange() } }

    /// The contents of the cache now.
    @_spi(HalcyonTool) public func summary() throws -> StorageSummary { try explained { try store.summary() } }

    /// Returns a value without counting the read: the entry's last access, its expiration and the statistics stay as they are.
    @_spi(HalcyonTool) public func peek(forKey key: String, forcedExtension: String? = nil) throws -> T? {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try loading(name) { try store.peek(name, at: store.environment.now()).map(T.fromData) }
    }

    /// Returns the value of an entry that a query has found, even if it has expired; nil if it is gone. Counts nothing, like
    /// ``peek(forKey:forcedExtension:)``.
    @_spi(HalcyonTool) public func peek(_ entry: DiskStorage.EntryInfo) throws -> T? {
        let name = BlobName(untrusted: entry.fileName)
        // Nothing has expired at the beginning of time.
        return try loading(name) { try store.peek(name, at: Timestamp(milliseconds: 0)).map(T.fromData) }
    }

    /// Whether anything is stored under a key, expired or not.
    @_spi(HalcyonTool) public func hasRowOrFile(forKey key: String, forcedExtension: String? = nil) throws -> Bool {
        let names = blobName(forKey: key, forcedExtension: forcedExtension).withFormer
        return try explained {
            try names.contains { name in
                try store.index.read { try $0.entry(named: name) } != nil || store.blobs.status(of: name) != nil
            }
        }
    }

    /// The row of a key, even if it has expired. A file without a row becomes an entry first.
    @_spi(HalcyonTool) public func row(forKey key: String, forcedExtension: String? = nil) throws -> Entry? {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try explained {
            try store.adopter.adoptAhead(name.withFormer)
            return try store.index.read { try $0.entry(named: name) ?? name.former.flatMap($0.entry(named:)) }
        }
    }

    /// Adopts files without a row now, on this thread, and reports the progress.
    @_spi(HalcyonTool) public func finishAdoption(_ progress: @escaping @Sendable (AdoptionProgress) -> Void) throws {
        store.adopter.listeners.add { if let now = $0 { progress(now) } }
        defer { store.adopter.listeners.finish() }
        try explained { try store.adopter.finish() }
    }

    /// Like ``remove(forKey:forcedExtension:)``.
    ///
    /// - Returns: false if nothing was there, for example because another process has removed it.
    @_spi(HalcyonTool) public func removeIfPresent(forKey key: String, forcedExtension: String? = nil) throws -> Bool {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try explained { try store.remove(name, key: key) }
    }

    /// Completes an upgrade of the index now, on this thread, and reports the number of entries examined.
    @_spi(HalcyonTool) public func finishUpgrade(_ progress: (Int) -> Void) throws {
        try explained {
            try store.sweeper.upgrader.finish(progress)
            try Reclaimer(folder: store.folder).finish()
        }
    }

    /// Like ``removeAll()``, and reports the number of entries removed so far.
    @_spi(HalcyonTool) public func removeAll(_ progress: @escaping @Sendable (Int) -> Void) throws {
        try explained { try beginRemovingAll(progress)() }
    }

    /// Like ``removeExpiredValues()``. Before each batch, `shouldContinue` may end it.
    @_spi(HalcyonTool) public func removeExpired(shouldContinue: (Removal) -> Bool) throws -> Removal {
        var found: [Int64] = []
        return try explained {
            try store.evictor.removeExpired(at: store.environment.now(), found: &found, shouldContinue: shouldContinue)
        }
    }

    /// Like ``removeSizeExceededValues()`` with these limits. Before each batch, `shouldContinue` may end it.
    @_spi(HalcyonTool) public func evict(_ limits: StorageLimits, shouldContinue: (Removal) -> Bool) throws -> Removal {
        try explained { try store.evictor.evict(limits, shouldContinue: shouldContinue) }
    }

    /// Passes the entries that match a filter to `body`, in an order, until it throws. Like ``allEntries(matching:sortedBy:descending:)``.
    @_spi(HalcyonTool) public func forEachEntry(
        matching filter: DiskStorage.EntryFilter, sortedBy order: DiskStorage.EntryOrder, descending: Bool,
        _ body: (DiskStorage.EntryInfo) throws -> Void
    ) throws {
        var ids: ArraySlice<Int64>?
        while ids?.isEmpty != true {
            let (entries, rest) = try nextEntries(ids, matching: filter, sortedBy: order, descending: descending)
            try entries.forEach(body)
            ids = rest
        }
    }

    /// Removes the keys that must not be in the index, now: a process that exits at once leaves housekeeping no time for it.
    @_spi(HalcyonTool) public func forgetKeys() throws { try explained { try store.sweeper.forgetKeys() } }

    /// The volume of the cache; nil if the system does not name it.
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
    /// Passes the names in any directory to `body`, in no order, until it returns false.
    @_spi(HalcyonTool) public static func forEachName(in folder: String, _ body: (String) throws -> Bool) throws {
        try POSIXFileSystem().list(folder, body)
    }
}
