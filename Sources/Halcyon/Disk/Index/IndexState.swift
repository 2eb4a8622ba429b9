/// What the index remembers of the folder it is in.
package struct IndexState: Equatable, Sendable {
    /// The boot of the machine in which the index was last opened; nil in a new index.
    package var boot: String?
    /// Blobs stored up to here had been written when the cache was closed.
    package var settledAt: Timestamp
    /// `created_at` of the latest store.
    package var storedAt: Timestamp
    package var indexInode: UInt64?
    /// Inode numbers are being learned anew: until that is done a length is enough.
    package var isRelearning: Bool
    package var adoption: Adoption
    package var adoptsUntil: Timestamp
    /// What was stored in this span is not trusted.
    package var distrusted: ClosedRange<Timestamp>?
    /// When the folder was last searched for files without a row.
    package var reconciledAt: Timestamp
    /// A folder of schema 1, which was never searched for the names of Kingfisher 7: such files are to become entries.
    package var awaitsLegacyNames = true
}

extension IndexState {
    /// What was stored in the last minute before the machine stopped, unless the cache was closed later than that. What is
    /// stored from now on has a later time than the latest store.
    func distrustedAfterReboot(writeBackTime: Int64) -> ClosedRange<Timestamp>? {
        let earlier = distrusted?.lowerBound
        // Stamps may run ahead of the clock.
        let from = storedAt.advanced(by: -(writeBackTime + StampSource.tolerance))
        let until = storedAt
        let isSettled = settledAt >= storedAt.advanced(by: writeBackTime)
        guard !isSettled else { return earlier.map { $0...max($0, until) } }
        let start = min(earlier ?? from, from)
        return start...max(start, until)
    }
}
