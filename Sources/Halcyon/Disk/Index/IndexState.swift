/// What the index records about its directory.
package struct IndexState: Equatable, Sendable {
    /// The boot in which the index was last opened; nil in a new index.
    package var boot: String?
    /// When the cache was last closed after the system had written all blobs back.
    package var settledAt = Timestamp(milliseconds: 0)
    /// `created_at` of the latest store.
    package var storedAt = Timestamp(milliseconds: 0)
    package var indexInode: UInt64?
    package var relearning = Relearning.done
    /// Whether files without a row may be entries that are still to be adopted.
    package var adoption = Adoption.done
    /// Files that changed later are not adopted: when the index was created, earlier after a power cut, later in a copy. 0 once no file
    /// is adopted any more, whatever its name.
    package var adoptsUntil = Timestamp(milliseconds: 0)
    /// Entries stored in this span are not trusted: a power cut may have lost their bytes.
    package var distrusted: ClosedRange<Timestamp>?
    /// When the directory was last searched for files without a row; 23 hours before the latest attempt until that ends.
    package var reconciledAt = Timestamp(milliseconds: 0)
    /// The cache had schema 1, and was never searched for file names of Kingfisher 7. Such files become entries.
    package var awaitsLegacyNames = false
    /// The number of the boot in which the index was last opened.
    var boots: Int64 = 0
    /// Like ``settledAt``, as the uptime in that boot.
    var settledUptime: Int64 = 0
    /// The boot time of the latest store; nil if an earlier version made it.
    var storedIn: BootTime?
    /// Like ``distrusted``, for stores that recorded their boot.
    var distrustedBoots: ClosedRange<BootTime>?
}

/// How blobs are recognized in a copied directory, until the new inode numbers are recorded.
package enum Relearning: Int64, Sendable {
    /// They are recorded.
    case done
    /// The copy has new dates, so a matching length is enough.
    case byLength
    /// The copy has kept the dates, so length and tag match.
    case byTag
}

extension IndexState {
    /// Whether the directory was copied, and the inode numbers of the blobs are being recorded.
    package var isRelearning: Bool { relearning != .done }

    /// Call it after ``noteReboot(writeBackTime:)``, which counts the boots.
    var wasCreatedInThisBoot: Bool { boots == 1 }

    /// How to treat files without a row. After the files with hashed names were taken over, an app may set that names are not hashed. Those
    /// with other names then become entries too.
    func adoption(namesAreHashed: Bool) -> Adoption {
        adoption == .done && !namesAreHashed && adoptsUntil.milliseconds > 0 ? .pending : adoption
    }

    /// Whether there may be files that are still to become entries.
    func isSearching(namesAreHashed: Bool) -> Bool {
        adoption(namesAreHashed: namesAreHashed) != .done || awaitsLegacyNames
    }

    /// Notes that all files with possible names have been examined.
    mutating func endSearch(namesAreHashed: Bool) {
        if adoption == .rebuilding, let distrusted { leaveOut(writtenFrom: distrusted.lowerBound) }
        if !namesAreHashed { adoptsUntil = Timestamp(milliseconds: 0) }
        (adoption, awaitsLegacyNames) = (.done, false)
    }

    /// Whether some stores may not have reached the disk.
    var isDistrusting: Bool { distrusted != nil || distrustedBoots != nil }

    /// Files with names that are searched for later may have lost their bytes, too.
    mutating func leaveOut(writtenFrom begin: Timestamp) { adoptsUntil = min(adoptsUntil, begin.advanced(by: -1)) }

    /// Notes that the machine has rebooted. Entries stored within `writeBackTime` before the latest store are no longer
    /// trusted, unless the cache was closed that long after it.
    mutating func noteReboot(writeBackTime: Int64) {
        distrusted = distrustedAfterReboot(writeBackTime: writeBackTime)
        if let storedIn, storedIn.boot == boots, settledUptime < storedIn.uptime + writeBackTime {
            let from = BootTime(boot: boots, uptime: storedIn.uptime - writeBackTime)
            let start = min(distrustedBoots?.lowerBound ?? from, from)
            distrustedBoots = start...max(start, storedIn)
        }
        // An upgraded index has counted none.
        boots = max(1, boots) + 1
        settledUptime = 0
    }

    /// Whether the system has had the time to write all stored blobs to disk.
    func isWritten(at now: Timestamp, uptime: Int64, writeBackTime: Int64) -> Bool {
        guard let storedIn else { return now >= storedAt.advanced(by: writeBackTime) }
        return storedIn.boot != boots || uptime >= storedIn.uptime + writeBackTime
    }

    /// The span for stores that did not record their boot.
    private func distrustedAfterReboot(writeBackTime: Int64) -> ClosedRange<Timestamp>? {
        // A new index may distrust what it has taken over, without any store.
        guard storedAt.milliseconds > 0 else { return distrusted }
        let earlier = distrusted?.lowerBound
        // Stamps may be ahead of the clock.
        let from = storedAt.advanced(by: -(writeBackTime + StampSource.tolerance))
        let until = max(storedAt, distrusted?.upperBound ?? storedAt)
        let isSettled = settledAt >= storedAt.advanced(by: writeBackTime)
        guard !isSettled else { return earlier.map { $0...max($0, until) } }
        let start = min(earlier ?? from, from)
        return start...max(start, until)
    }
}
