internal import Foundation

/// A clean of the disk in batches, so that other calls run in between. Confined to a cache's I/O queue.
final class DiskCleaning: @unchecked Sendable {
    // Sendable because it is used on one serial queue only; `progress` is thread-safe.
    private let storage: DiskStorage.Backend<Data>
    /// What the eviction goes down to; nil while expired entries are removed.
    private(set) var target: Totals?
    /// Those that the target is for.
    private var limits: StorageLimits
    private let progress: Progress?
    /// Whether it opens a closed index.
    private let opens: Bool
    /// Rows that may have expired. Looking for them in each batch would take longer than removing them.
    private var expired: [Int64] = []
    /// The names of the removed files.
    private(set) var removedNames: [String] = []

    /// Evicts down to a target. Without one, removes what has expired, then what is over the limit.
    init(
        _ storage: DiskStorage.Backend<Data>, downTo target: Totals? = nil, of limits: StorageLimits? = nil,
        progress: Progress? = nil, opens: Bool = false
    ) {
        self.storage = storage
        self.progress = progress
        self.opens = opens
        (self.target, self.limits) = (target, limits ?? storage.config.limits)
    }

    /// Sets up the progress, if there is one.
    func announce() {
        let evictor = storage.store.evictor
        // Stores wait for this.
        guard let progress,
            let (totals, expired) = try? LockTimeout.briefly({ try (evictor.totals(), evictor.expiredTotals()) })
        else { return }
        // It may have tracked another clean before.
        progress.completedUnitCount = 0
        let rest = Totals(entries: totals.entries - expired.entries, bytes: totals.bytes - expired.bytes)
        let target = try? evictor.target(of: storage.config.limits, rest)
        progress.totalUnitCount = max(1, expired.bytes + (target.map { rest.bytes(over: $0) } ?? 0))
    }

    /// Leaves room for what was stored last: an entry of more than half of the limit would evict all others, and then itself.
    func spare(_ stored: Totals) {
        target = target.map { limits.sparing(stored, in: $0) }
    }

    /// Removes one batch.
    ///
    /// - Returns: whether there may be more to do.
    func runBatch(unless isClearing: Bool = false) -> Bool {
        guard progress?.isCancelled != true else { return false }
        guard !isClearing else { return finish() }
        return opens ? removeBatch() : storage.store.index.unlessClosed(removeBatch) ?? false
    }

    private func removeBatch() -> Bool {
        let evictor = storage.store.evictor
        // The app may have corrected them.
        if limits != storage.config.limits {
            (limits, target) = (storage.config.limits, nil)
            // An eviction after stores does not wait for a takeover. The next store looks again.
            if storage.store.condition.isSearching { return finish() }
        }
        if let target {
            if removedNames.isEmpty { try? evictor.clampFutureAccesses() }
            if remove({ try evictor.evict(downTo: target, shouldContinue: $0) }) == true { return true }
        } else if let hasRemoved = remove({
            try evictor.removeExpired(at: evictor.now, found: &expired, shouldContinue: $0)
        }) {
            if hasRemoved { return true }
            // If the index cannot be read now, nothing can be evicted now.
            if !limits.isUnlimited { target = storage.noting { try evictor.target(of: limits) } ?? nil }
            if target != nil { return true }
        }
        return finish()
    }

    /// Replaces the estimate with the result: files that could not be removed are no longer counted, and the last evicted one may
    /// have been larger than necessary.
    private func finish() -> Bool {
        if let progress {
            progress.totalUnitCount = max(1, progress.totalUnitCount, progress.completedUnitCount)
            progress.completedUnitCount = progress.totalUnitCount
        }
        return false
    }

    /// Returns whether it removed anything; nil if the index cannot be used. The next clean retries what cannot be removed now.
    private func remove(_ body: ((Removal) -> Bool) throws -> Removal) -> Bool? {
        guard let removal = storage.noting({ try body { $0.entries == 0 } }) else { return nil }
        if removal.entries == 0, let failure = removal.failure { storage.noting { throw failure } }
        removedNames += removal.names.map(\.text)
        progress?.completedUnitCount += removal.bytes
        return removal.entries > 0
    }
}

extension Totals {
    /// The bytes to remove if all entries have the same size.
    fileprivate func bytes(over target: Totals) -> Int64 {
        let share = target.entries < entries ? Double(entries - target.entries) / Double(entries) : 0
        return max(bytes - min(bytes, target.bytes), Int64(Double(bytes) * share))
    }
}
