internal import HalcyonSQLite

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
        guard try settleLargestRows() || !isRight else { return false }
        try index.write { try $0.repairTotals() }
        return true
    }

    /// How many of the largest rows are compared with their files whenever totals are counted. As long as one of them is wrong, twice as
    /// many, up to a limit: a caller may be waiting, and the daily sweep compares the rest.
    private static let samples = 16...1_024

    /// - Returns: whether any of them was deleted.
    private func settleLargestRows() throws -> Bool {
        var (sample, hasDropped) = (Self.samples.lowerBound, false)
        while sample <= Self.samples.upperBound {
            let largest = try index.readAtLength { [sample] in try $0.largestEntries(limit: sample) }
            guard settleRows(largest) > 0 else { break }
            (hasDropped, sample) = (true, sample * 2)
        }
        return hasDropped
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
