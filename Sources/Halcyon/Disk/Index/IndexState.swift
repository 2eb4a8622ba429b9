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
    /// The number of the boot in which the index was last opened.
    var boots: Int64 = 0
    /// As ``settledAt``, within that boot.
    var settledUptime: Int64 = 0
    /// When the latest store was made; nil if an earlier version made it.
    var storedIn: BootTime?
    /// As ``distrusted``, of stores that know their boot.
    var distrustedBoots: ClosedRange<BootTime>?
}

extension IndexState {
    /// Another boot than the last one: what was stored in its last minute is not trusted, unless the cache was closed later than that.
    mutating func noteReboot(writeBackTime: Int64) {
        distrusted = distrustedAfterReboot(writeBackTime: writeBackTime)
        if let storedIn, storedIn.boot == boots, settledUptime < storedIn.uptime + writeBackTime {
            let from = BootTime(boot: boots, uptime: storedIn.uptime - writeBackTime)
            let start = min(distrustedBoots?.lowerBound ?? from, from)
            distrustedBoots = start...max(start, storedIn)
        }
        boots += 1
        settledUptime = 0
    }

    /// Whether all that was stored has been written by the system, now that the machine has been up for so long.
    func isWritten(at now: Timestamp, uptime: Int64, writeBackTime: Int64) -> Bool {
        guard let storedIn else { return now >= storedAt.advanced(by: writeBackTime) }
        return storedIn.boot != boots || uptime >= storedIn.uptime + writeBackTime
    }

    /// Of stores that do not know their boot.
    private func distrustedAfterReboot(writeBackTime: Int64) -> ClosedRange<Timestamp>? {
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
