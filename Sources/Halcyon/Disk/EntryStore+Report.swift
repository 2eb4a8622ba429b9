internal import HalcyonSQLite

extension EntryStore {
    /// How the entries are spread.
    ///
    /// - Complexity: O(entries), some 2 µs each, on a connection of its own: lookups do not wait for it.
    func report(_ question: StorageReport.Question, progress: (Int64) throws -> Void) throws -> StorageReport {
        let free = freeBytes(for: question.limits)
        return try query { try $0.report(question, freeBytes: free, progress: progress) }
    }
}

extension DiskStorage.Backend {
    /// How the entries are spread over hosts, processors, ages, sizes and days.
    ///
    /// - Parameter progress: called now and then with how many entries have been counted.
    @_spi(HalcyonTool) public func report(
        _ question: StorageReport.Question, progress: (Int64) throws -> Void = { _ in }
    ) throws -> StorageReport {
        try explained { try store.report(question, progress: progress) }
    }
}
