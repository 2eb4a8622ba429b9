/// Corrects what another program has edited in the index, or what a bug has left there.
extension Settler {
    /// Counts entries, bytes and slack, and corrects the totals if they differ. Before that, settles those of the largest rows whose size is
    /// not their file's: an edited size can make a large eviction look due although the totals agree with it.
    ///
    /// - Complexity: O(entries), about 0.4 µs each, on its own connection and without a lock.
    /// - Returns: whether anything was wrong.
    @discardableResult
    func recountTotals() throws -> Bool {
        let isRight = try index.readAtLength { try $0.areTotalsRight() }
        let largest = try index.readAtLength { try $0.largestEntries(limit: 256) }
        guard settleRows(largest) > 0 || !isRight else { return false }
        try index.write { try $0.repairTotals() }
        return true
    }

    /// Compares all rows with their files.
    ///
    /// - Complexity: O(entries), a system call each.
    func settleRows() throws {
        try forEachEntryPage { entries in
            try stopIfClosing()
            settleRows(entries)
        }
    }

    /// Settles rows whose name belongs to a file that is not their blob, and those of an impossible size. If there is no file otherwise,
    /// the next reader notices.
    ///
    /// - Returns: how many rows were deleted.
    @discardableResult
    func settleRows(_ entries: [Entry]) -> Int {
        // If one cannot be examined or settled, continue with the others.
        entries.count { entry in
            let file = try? blobs.status(of: entry.name)
            let isWrong = file.map { !isBlob(of: entry, $0) } ?? (entry.size == Entry.sizes.upperBound)
            return isWrong && (try? settleInTransaction(entry.name)) == true
        }
    }
}
