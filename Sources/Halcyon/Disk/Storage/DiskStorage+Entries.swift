public import Foundation

/// Looking into a cache, and removing many entries.
///
/// Errors are those of ``DiskStorage/Backend``: an index that cannot be read is
/// ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` with a ``CacheStorageError``.
extension DiskStorage.Backend {
    // MARK: Looking

    /// What is known of an entry, expired or not; nil where there is none. Reads no blob, and counts as no access.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when the index cannot be read.
    /// - Complexity: a few rows.
    public func entry(forKey key: String, forcedExtension: String? = nil) throws -> DiskStorage.EntryInfo? {
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        return try mappingErrors { try store.record(of: name).map(info) }
    }

    /// A page of the entries that meet a filter.
    ///
    /// ```swift
    /// var page = try storage.entries(matching: .init(host: "img.example.com"), sortedBy: .size, descending: true)
    /// while let next = page.next { page = try storage.entries(after: next, matching: .init(host: "img.example.com")) }
    /// ```
    ///
    /// A page is as of one moment. Entries that are there all the time, and keep their place in the order, are on exactly one page.
    ///
    /// - Parameters:
    ///   - filter: which entries.
    ///   - order: what they are sorted by.
    ///   - descending: the other way round.
    ///   - limit: entries on the page at most; at least 1.
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when the index cannot be read.
    /// - Complexity: O(entries), some 0.1 µs each: the index is read once. All entries by access: O(limit), and O(pinned entries).
    public func entries(
        matching filter: DiskStorage.EntryFilter = .all, sortedBy order: DiskStorage.EntryOrder = .access,
        descending: Bool = false, limit: Int = 100
    ) throws -> DiskStorage.EntryPage {
        try page(filter, order, descending, after: nil, limit)
    }

    /// The page behind another one: in its order, with a filter that need not be the same. Costs and errors are those of
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
            try store.page(
                matching: filter, in: order, descending: isDescending, after: position,
                // One more is looked for.
                limit: min(max(1, limit), .max - 1))
        }
        let next = page.hasMore ? page.positions.last : nil
        return DiskStorage.EntryPage(
            entries: page.records.map(info),
            next: next.map { DiskStorage.EntryCursor(order: order, isDescending: isDescending, position: $0) })
    }

    func info(_ record: EntryRecord) -> DiskStorage.EntryInfo {
        DiskStorage.EntryInfo(record, in: directoryURL, at: store.environment.now())
    }

    /// All entries that meet a filter, read off the caller's thread, a few at a time.
    ///
    /// ```swift
    /// for try await entry in storage.allEntries(matching: .init(isExpired: true)) { print(entry.fileName) }
    /// ```
    ///
    /// Which entries these are, and their order, is what it is at the beginning: none comes twice, whatever happens meanwhile. What
    /// is gone or does not meet the filter any more when it would be its turn is left out.
    ///
    /// Nothing is held between two reads: a slow loop holds up nobody. A cancelled task ends it with `CancellationError`.
    ///
    /// - Complexity: O(entries), some 1 µs each, and 8 bytes of memory for each entry that is meant; some 50 while they are sorted,
    ///   and by key their keys too.
    public func allEntries(
        matching filter: DiskStorage.EntryFilter = .all, sortedBy order: DiskStorage.EntryOrder = .access,
        descending: Bool = false
    ) -> DiskStorage.EntrySequence {
        DiskStorage.EntrySequence { self.reader(matching: filter, sortedBy: order, descending: descending) }
    }

    func reader(
        matching filter: DiskStorage.EntryFilter, sortedBy order: DiskStorage.EntryOrder, descending: Bool
    ) -> DiskStorage.EntryReader {
        DiskStorage.EntryReader {
            try self.mappingErrors { try self.store.ids(matching: filter, in: order, descending: descending) }
        } readEntries: { ids in
            try self.mappingErrors { try self.store.records(of: ids, matching: filter).map(self.info) }
        }
    }

    /// Number and bytes of the entries that meet a filter; none of them is handed over.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when the index cannot be read.
    /// - Complexity: O(1) for all, else O(entries), some 0.1 µs each.
    public func totals(matching filter: DiskStorage.EntryFilter = .all) throws -> DiskStorage.Totals {
        try mappingErrors { try store.totals(matching: filter) }
    }

    /// What the cache takes up, and what its limits leave.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when the index cannot be read.
    /// - Complexity: O(1), and O(pinned and expired entries).
    public func usage() throws -> DiskStorage.Usage {
        try mappingErrors { try store.usage(limits: config.limits) }
    }

    // MARK: Remembering

    /// Notes what is not nil in `attributes`, and rewrites no blob.
    ///
    /// - Parameters:
    ///   - attributes: what is to be changed; of each member that is nil, nothing.
    ///   - key: the one it was stored under.
    ///   - forcedExtension: the one it was stored with.
    /// - Returns: false where there is no entry.
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``, also for
    ///   ``CacheStorageError/Code/invalidAttributes``; then nothing has changed.
    /// - Complexity: one transaction.
    @discardableResult
    public func update(
        _ attributes: DiskStorage.EntryAttributes, forKey key: String, forcedExtension: String? = nil
    ) throws -> Bool {
        try update(forKey: key, forcedExtension: forcedExtension) { _ in attributes }
    }

    /// As ``update(_:forKey:forcedExtension:)``, with attributes that follow from what is known: nobody changes the entry in
    /// between.
    ///
    /// ```swift
    /// try storage.update(forKey: key) { .init(tags: Set($0.tags).union(["offline"])) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: the one it was stored under.
    ///   - forcedExtension: the one it was stored with.
    ///   - change: runs under the index's write lock: it must not use the storage, nor take long. What it throws ends the
    ///     update, as the `error` of ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``.
    /// - Returns: false where there is no entry.
    @discardableResult
    public func update(
        forKey key: String, forcedExtension: String? = nil,
        _ change: (DiskStorage.EntryInfo) throws -> DiskStorage.EntryAttributes
    ) throws -> Bool {
        try requireReadiness()
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        do {
            return try store.update(name) { try change(info($0)) }
        } catch {
            throw resourceError(error, key: key, url: url(of: name))
        }
    }

    // MARK: Removing many

    /// Removes the entries that meet a filter, pinned ones included unless it excludes them.
    ///
    /// ```swift
    /// let gone = try storage.removeEntries(matching: .init(tag: "user 7"))
    /// ```
    ///
    /// Each batch of at most 128 is one transaction, after which others get in. What is stored meanwhile stays.
    ///
    /// - Parameters:
    ///   - filter: which; ``DiskStorage/EntryFilter/all`` for everything that is an entry.
    ///   - progress: its `totalUnitCount` is the number of entries to go, `completedUnitCount` that of those gone. Cancelling it
    ///     ends the removal after the batch under way: what is gone then is gone, and is returned.
    /// - Returns: what went, as it was. A file that cannot be removed stays, and its entry too.
    /// - Throws: when nothing could be removed although something should have been; also ``CacheStorageError/Code/invalidFilter``
    ///   for an empty text.
    @discardableResult
    public func removeEntries(
        matching filter: DiskStorage.EntryFilter, progress: Progress? = nil
    ) throws -> [DiskStorage.EntryInfo] {
        try announce(filter, progress)
        return try removeEntries(matching: filter, thereAt: moment(), progress: progress) { try $0() }
    }

    /// Says how many entries are to go, before anything waits for the write lock.
    func announce(_ filter: DiskStorage.EntryFilter, _ progress: Progress?) throws {
        guard let progress else { return }
        // It may have watched another removal before.
        progress.completedUnitCount = 0
        progress.totalUnitCount = max(1, try totals(matching: filter).entries)
    }

    /// Now: what is stored later can be told from what is there.
    func moment() throws -> Moment { try mappingErrors { try store.moment() } }

    /// - Parameter perform: runs a batch, in its turn.
    func removeEntries(
        matching filter: DiskStorage.EntryFilter, thereAt moment: Moment, progress: Progress?,
        perform: (() throws -> Void) throws -> Void
    ) throws -> [DiskStorage.EntryInfo] {
        try mappingErrors {
            func goOn(_ count: Int) -> Bool {
                if let progress { progress.completedUnitCount = min(Int64(count), progress.totalUnitCount) }
                return progress?.isCancelled != true
            }
            let gone = try store.remove(
                matching: filter, thereAt: moment, shouldContinue: goOn, perform: perform)
            if let progress, !progress.isCancelled { progress.completedUnitCount = progress.totalUnitCount }
            return gone.map(info)
        }
    }

    // MARK: Counting

    /// What the cache has done, reads of a moment ago included. One row.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when the index cannot be read.
    public var statistics: DiskStorage.Statistics {
        get throws { try mappingErrors { try store.recorder.statistics() } }
    }

    /// Begins counting anew, for all processes. One transaction.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``; then the counts are as they were.
    public func resetStatistics() throws { try mappingErrors { try store.recorder.resetStatistics() } }
}
