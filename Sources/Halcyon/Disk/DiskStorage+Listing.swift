/// What the command line tool asks beyond the public API. Failures have their words here: ``CacheStorageError``.
extension DiskStorage.Backend {
    /// Opens the index now.
    ///
    /// An index that cannot be used makes lookups miss; whoever asks at a terminal wants to know why.
    package func open() throws { try explained { try store.open() } }

    /// What is in the cache now.
    package func summary() throws -> StorageSummary { try explained { try store.summary() } }

    /// Hands over all entries in an order, until `body` returns false.
    ///
    /// No transaction is open while `body` runs, and no more than a few hundred entries are in memory.
    package func forEachEntry(
        in order: IndexSession.Order, reversed: Bool = false, _ body: (Entry) throws -> Bool
    ) throws {
        var ids = try explained { try store.entryIDs(in: order) }
        if reversed { ids.reverse() }
        for start in stride(from: 0, to: ids.count, by: 256) {
            let page = try explained { try store.entries(ids: ids[start..<min(start + 256, ids.count)]) }
            for entry in page { guard try body(entry) else { return } }
        }
    }

    /// Whether anything is stored under a key, expired or not.
    package func hasTrace(forKey key: String, forcedExtension: String? = nil) throws -> Bool {
        let name = config.blobName(forKey: key, forcedExtension: forcedExtension)
        return try explained {
            try store.hasTrace(of: name) || store.legacyName(of: name, key: key).map(store.hasTrace(of:)) ?? false
        }
    }

    /// The row of a key, whether it is valid or not.
    package func entry(forKey key: String, forcedExtension: String? = nil) throws -> Entry? {
        let name = config.blobName(forKey: key, forcedExtension: forcedExtension)
        return try explained { try store.index.read { try $0.entry(named: name) } }
    }

    /// Takes over files that have no row, now and on this thread, and tells how far it is.
    package func finishAdoption(_ progress: @escaping @Sendable (AdoptionProgress) -> Void) throws {
        store.adoptionListeners.add { if let now = $0 { progress(now) } }
        defer { store.adoptionListeners.finish() }
        try explained { try store.finishAdoption() }
    }

    /// Drops the row of a key whose blob is gone, now: a process that ends at once leaves housekeeping no time for it.
    package func settle(forKey key: String, forcedExtension: String? = nil) throws {
        let name = config.blobName(forKey: key, forcedExtension: forcedExtension)
        // An ordinary miss is no reason to take the write lock.
        try explained { if try store.hasTrace(of: name) { try store.settleInTransaction(name) } }
    }

    /// As ``removeExpiredValues()``, asked before each batch whether to go on.
    package func removeExpired(goingOn: (Removal) -> Bool) throws -> Removal {
        try explained { try store.removeExpired(at: store.environment.now(), goingOn: goingOn) }
    }

    /// As ``removeSizeExceededValues()`` with this limit, asked before each batch whether to go on.
    package func evict(limit: Int64, goingOn: (Removal) -> Bool) throws -> Removal {
        try explained { try store.evict(limit: limit, goingOn: goingOn) }
    }

    /// As ``evict(limit:goingOn:)``, down to a number of bytes.
    package func evict(downTo target: Int64, goingOn: (Removal) -> Bool) throws -> Removal {
        try explained { try store.evict(downTo: target, goingOn: goingOn) }
    }

    /// Bytes of all blobs.
    ///
    /// - Parameter adopting: false leaves files out that are still to be adopted, instead of adopting them first.
    package func totalByteCount(adopting: Bool = true) throws -> Int64 {
        try explained { try store.totals(adopting: adopting).bytes }
    }

    private func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw CacheStorageError(error)
        }
    }
}
