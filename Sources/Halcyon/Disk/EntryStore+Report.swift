internal import HalcyonSQLite

extension EntryStore {
    /// How the entries are spread. Brings the listing up to date first.
    ///
    /// - Complexity: O(entries), some 2 µs each, on a connection of its own: lookups do not wait for it.
    func report(_ question: StorageReport.Question) throws -> StorageReport {
        let free = freeBytes(for: question.limits)
        return try readListed(.all, .size) { session, _ in try session.report(question, freeBytes: free) }
    }
}

extension DiskStorage.Backend {
    /// How the entries are spread over hosts, processors, ages, sizes and days.
    @_spi(HalcyonTool) public func report(_ question: StorageReport.Question) throws -> StorageReport {
        try explained { try store.report(question) }
    }
}
