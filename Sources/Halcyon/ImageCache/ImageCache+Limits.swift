/// The eviction that follows stores.
struct DiskTrim {
    fileprivate var cleaning: DiskCleaning?
    /// Totals that the last eviction could not get below because of pinned entries or blobs that cannot be removed.
    fileprivate var floor: Totals?
}

// On the I/O queue.
extension ImageCache {
    /// Evicts if stores have exceeded a limit.
    ///
    /// While an eviction is under way, each store also runs one of its batches, so that a run of stores cannot outpace it.
    func keepLimits(afterStoring stored: [(name: BlobName, bytes: Int)]) {
        let limits = diskStorage.config.limits
        guard !limits.isUnlimited else { return }
        // Before the eviction, which would remove all other entries to make room for these.
        let tooLarge = Set(stored.filter { limits.bytes > 0 && $0.bytes > limits.bytes }.map(\.name))
        let goneCount = tooLarge.filter { remove($0, ifLargerThan: limits.bytes) }.count
        // Entries that are being cleared are no reason to evict later ones.
        guard !isClearing else { return }
        let size = Totals(entries: Int64(stored.count), bytes: stored.reduce(0) { $0 + Int64($1.bytes) })
        for _ in 0..<stored.count - goneCount {
            beginTrimming(to: limits)
            guard let cleaning = trim.cleaning else { return }
            cleaning.spare(size)
            trimBatch()
        }
    }

    /// Entries that are being cleared need no eviction, and entries stored later must not be evicted in their place.
    func stopTrimming() {
        if let cleaning = trim.cleaning.take() { postDidClean(removed: cleaning.removedNames) }
    }

    func beginTrimming(to limits: StorageLimits) {
        guard trim.cleaning == nil,
            let target = EntryIndex.opening.withValue(.unclosed, operation: { target(of: limits) })
        else { return }
        trim.cleaning = DiskCleaning(diskStorage, downTo: target, of: limits)
        ioQueue.async { [self] in continueTrimming() }
    }

    /// An entry larger than the whole limit would evict all others and then itself.
    ///
    /// - Returns: whether it was removed. If it cannot be removed now, the next clean retries.
    private func remove(_ name: BlobName, ifLargerThan limit: Int64) -> Bool {
        let isGone = try? diskStorage.store.remove(name, counting: \.evictions) { !$0.isPinned && $0.size > limit }
        guard isGone == true else { return false }
        postDidClean(removed: [name.text])
        return true
    }

    /// If the last eviction could not reach its target, waits until the totals have grown by an eighth of a limit. Otherwise
    /// every store at the limit would search in vain.
    private func target(of limits: StorageLimits) -> Totals? {
        guard let totals = try? diskStorage.store.evictor.totals(adopting: false) else { return nil }
        if let floor = trim.floor {
            guard totals.exceeds(floor + limits.step) else {
                // Entries removed since then did not block the eviction.
                trim.floor = Totals(
                    entries: min(floor.entries, totals.entries), bytes: min(floor.bytes, totals.bytes))
                return nil
            }
        }
        // A store may fill the cache exactly to its limit; a clean makes room from there on.
        return try? diskStorage.store.evictor.target(of: limits, adopting: false, tolerating: 1)
    }

    private func continueTrimming() {
        trimBatch()
        guard trim.cleaning != nil else { return }
        ioQueue.async { [self] in continueTrimming() }
    }

    private func trimBatch() {
        guard let cleaning = trim.cleaning, !cleaning.runBatch() else { return }
        trim.cleaning = nil
        // If this fails, the next store checks again.
        let left = try? diskStorage.store.index.unlessClosed { try diskStorage.store.evictor.totals(adopting: false) }
        trim.floor = if let left, let target = cleaning.target, left.exceeds(target) { left } else { nil }
        postDidClean(removed: cleaning.removedNames)
    }
}
