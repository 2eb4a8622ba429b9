public import Foundation

/// Inspecting a cache, and removing many entries.
///
/// Errors are those of ``DiskStorage/Backend``: if the index cannot be read,
/// ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` with a ``CacheStorageError``. While files have yet to become
/// entries, or the index has to be created, upgraded or replaced, queries wait for the lock of another process like a store.
extension DiskStorage.Backend {
    // MARK: Inspecting

    /// Returns information about an entry, expired or not; nil if there is none. Reads no blob, and does not count as an access.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    /// - Complexity: writes the reads that are noted, waiting a tenth of a second at most for the lock, then reads a few rows.
    public func entry(forKey key: String, forcedExtension: String? = nil) throws -> DiskStorage.EntryInfo? {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try mappingErrors { try store.record(of: name).map(info) }
    }

    /// Returns a page of the entries that match a filter.
    ///
    /// ```swift
    /// var page = try storage.entries(matching: .init(host: "img.example.com"), sortedBy: .size, descending: true)
    /// while let next = page.next { page = try storage.entries(after: next, matching: .init(host: "img.example.com")) }
    /// ```
    ///
    /// A page is as of one moment. An entry that exists all the time and keeps its place in the order is on exactly one page.
    ///
    /// - Parameters:
    ///   - filter: which entries to return.
    ///   - order: what to sort them by.
    ///   - descending: whether to reverse the order.
    ///   - limit: the maximum number of entries on the page; at least 1.
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    /// - Complexity: O(entries), about 0.1 µs each: the index is read once. All entries by access: O(limit) and O(pinned entries).
    public func entries(
        matching filter: DiskStorage.EntryFilter = .all, sortedBy order: DiskStorage.EntryOrder = .access,
        descending: Bool = false, limit: Int = 100
    ) throws -> DiskStorage.EntryPage {
        try page(filter, order, descending, after: nil, limit)
    }

    /// Returns the page after another one, in its order. The filter may be a different one. Costs and errors are those of
    /// ``entries(matching:sortedBy:descending:limit:)``.
    public func entries(
        after cursor: DiskStorage.EntryCursor, matching filter: DiskStorage.EntryFilter = .all, limit: Int = 100
    ) throws -> DiskStorage.EntryPage {
        try page(filter, cursor.order, cursor.isDescending, after: cursor.position, limit)
    }

    private func page(
        _ filter: DiskStorage.EntryFilter, _ order: DiskStorage.EntryOrder, _ isDescending: Bool,
        after position: EntryPosition?, _ limit: Int
    ) throws -> DiskStorage.EntryPage {
        let page = try mappingErrors {
            try store.query { session in
                try session.page(
                    store.conditions(filter), in: order, descending: isDescending, after: position,
                    // The session reads one entry more, to know whether there is a next page.
                    limit: min(max(1, limit), .max - 1))
            }
        }
        return DiskStorage.EntryPage(
            entries: page.records.map(info),
            next: page.next.map { DiskStorage.EntryCursor(order: order, isDescending: isDescending, position: $0) })
    }

    func info(_ record: EntryRecord) -> DiskStorage.EntryInfo {
        DiskStorage.EntryInfo(record, in: directoryURL, at: store.environment.now())
    }

    /// All entries that match a filter, read off the caller's thread, a few at a time.
    ///
    /// ```swift
    /// for try await entry in storage.allEntries(matching: .init(isExpired: true)) { print(entry.fileName) }
    /// ```
    ///
    /// The entries and their order are fixed when the iteration begins, and no entry is returned twice. An entry is left out if, when its turn comes,
    /// it is removed or does not match the filter any more.
    ///
    /// No lock is held between two reads, so a slow loop delays no other call. If the task is cancelled, the sequence throws
    /// `CancellationError`.
    ///
    /// - Complexity: O(entries), about 10 µs each. Takes 8 bytes of memory for each matching entry; while sorting, about 50 bytes,
    ///   and the key if you sort by key.
    public func allEntries(
        matching filter: DiskStorage.EntryFilter = .all, sortedBy order: DiskStorage.EntryOrder = .access,
        descending: Bool = false
    ) -> DiskStorage.EntrySequence {
        DiskStorage.EntrySequence { ids in
            try self.nextEntries(ids, matching: filter, sortedBy: order, descending: descending)
        }
    }

    /// A step of a walk over all matching entries: see ``DiskStorage/EntrySequence/Read``.
    func nextEntries(
        _ ids: ArraySlice<Int64>?, matching filter: DiskStorage.EntryFilter,
        sortedBy order: DiskStorage.EntryOrder, descending: Bool
    ) throws -> (entries: ArraySlice<DiskStorage.EntryInfo>, rest: ArraySlice<Int64>) {
        try mappingErrors {
            let ids =
                try ids ?? store.query { try $0.ids(store.conditions(filter), in: order, descending: descending)[...] }
            guard !ids.isEmpty else { return ([], []) }
            let records = try store.query { try $0.records(of: ids.prefix(256), store.conditions(filter)) }
            return (records.map(info)[...], ids.dropFirst(256))
        }
    }

    /// The number and bytes of the entries that match a filter, without reading each of them into memory.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    /// - Complexity: O(1) for all entries, otherwise O(entries), about 0.1 µs each.
    public func totals(matching filter: DiskStorage.EntryFilter = .all) throws -> DiskStorage.Totals {
        try mappingErrors { try store.totals(matching: filter) }
    }

    /// The space that the cache uses, including how far pinned entries exceed the limits.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    /// - Complexity: O(pinned entries) while no entry has expired; otherwise O(entries), some 0.1 µs each.
    public func usage() throws -> DiskStorage.Usage {
        try mappingErrors { try store.usage(limits: config.limits) }
    }

    // MARK: Attributes

    /// Changes the attributes of an entry that are set in `attributes`. Does not rewrite the blob.
    ///
    /// - Parameters:
    ///   - attributes: the changes; a member that is nil changes nothing.
    ///   - key: the key that it was stored under.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: false if there is no entry.
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``, also for
    ///   ``CacheStorageError/Code/invalidAttributes``. Nothing has then changed.
    /// - Complexity: one transaction.
    @discardableResult
    public func update(
        _ attributes: DiskStorage.EntryAttributes, forKey key: String, forcedExtension: String? = nil
    ) throws -> Bool {
        try update(forKey: key, forcedExtension: forcedExtension) { _ in attributes }
    }

    /// Like ``update(_:forKey:forcedExtension:)``, with attributes computed from the current ones. No other change happens in between.
    ///
    /// ```swift
    /// try storage.update(forKey: key) { .init(tags: Set($0.tags).union(["offline"])) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: the key that it was stored under.
    ///   - forcedExtension: the extension that it was stored with.
    ///   - change: runs under the index's write lock, so it must not use the storage or take long. It runs again if a damaged index is
    ///     replaced meanwhile. If it throws, nothing changes, and its error is the `error` of
    ///     ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``.
    /// - Returns: false if there is no entry.
    @discardableResult
    public func update(
        forKey key: String, forcedExtension: String? = nil,
        _ change: (DiskStorage.EntryInfo) throws -> DiskStorage.EntryAttributes
    ) throws -> Bool {
        try update(blobName(forKey: key, forcedExtension: forcedExtension), forKey: key, change)
    }

    func update(
        _ name: BlobName, forKey key: String, _ change: (DiskStorage.EntryInfo) throws -> DiskStorage.EntryAttributes
    ) throws -> Bool {
        try requireReadiness()
        let caller = CallerError()
        do {
            return try store.update(name) { entry in try caller.noting { try change(info(entry)) } }
        } catch {
            let error = caller.error ?? note(error)
            throw KingfisherError.cacheError(reason: .invalidURLResource(error: error, key: key, url: url(of: name)))
        }
    }

    // MARK: Removing many

    /// Removes the entries that match a filter, including pinned ones unless the filter excludes them.
    ///
    /// ```swift
    /// let gone = try storage.removeEntries(matching: .init(tag: "user 7"))
    /// ```
    ///
    /// Each batch of at most 128 entries is one transaction, after which other callers get in. Entries stored meanwhile remain.
    ///
    /// - Parameters:
    ///   - filter: which entries to remove; ``DiskStorage/EntryFilter/all`` for all of them.
    ///   - progress: its `totalUnitCount` is the number of entries to remove, its `completedUnitCount` the number removed; at the
    ///     end, unless you cancelled it, both are equal and at least 1. If you cancel it, the removal ends after the current batch,
    ///     and returns what it has removed.
    /// - Returns: the removed entries, as they were. If a file cannot be removed, its entry stays.
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read, or if entries
    ///   match and none could be removed; with ``CacheStorageError/Code/invalidFilter`` for an empty text.
    @discardableResult
    public func removeEntries(
        matching filter: DiskStorage.EntryFilter, progress: Progress? = nil
    ) throws -> [DiskStorage.EntryInfo] {
        try announce(filter, progress)
        let moment = try mappingErrors { try store.moment(removing: filter) }
        return try removeEntries(matching: filter, existingAt: moment, progress: progress) { try $0() }
    }

    /// Sets the number of entries to remove, before anything waits for the write lock.
    func announce(_ filter: DiskStorage.EntryFilter, _ progress: Progress?) throws {
        // A removal that is cancelled already removes nothing.
        guard let progress, !progress.isCancelled else { return }
        // The progress may have been used for another removal.
        progress.completedUnitCount = 0
        progress.totalUnitCount = max(1, try totals(matching: filter).entries)
    }

    /// - Parameter perform: runs a batch when its turn comes.
    func removeEntries(
        matching filter: DiskStorage.EntryFilter, existingAt moment: Moment, progress: Progress?,
        perform: @escaping (() throws -> Void) throws -> Void
    ) throws -> [DiskStorage.EntryInfo] {
        try mappingErrors {
            func shouldContinue(_ count: Int) -> Bool {
                if let progress { progress.completedUnitCount = min(Int64(count), progress.totalUnitCount) }
                return progress?.isCancelled != true
            }
            let gone = try store.remove(
                matching: filter, existingAt: moment, shouldContinue: shouldContinue, perform: perform)
            if let progress, !progress.isCancelled { progress.completedUnitCount = progress.totalUnitCount }
            return gone.map(info)
        }
    }

    // MARK: Counting

    /// What the cache has done, including reads of a moment ago. Writes the reads that are noted, waiting a tenth of a second at
    /// most for the lock, then reads one row.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    public var statistics: DiskStorage.Statistics {
        get throws { try mappingErrors { try store.recorder.statistics() } }
    }

    /// Restarts counting, for all processes. One transaction.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``. The counts are then unchanged.
    public func resetStatistics() throws { try mappingErrors { try store.recorder.resetStatistics() } }
}
