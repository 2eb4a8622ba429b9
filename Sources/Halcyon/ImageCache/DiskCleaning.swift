internal import Foundation

/// One clean of the disk, a batch at a time, so that others get in between. Confined to a cache's I/O queue.
final class DiskCleaning: @unchecked Sendable {
    // Sendable because it is touched on one serial queue only; `progress` is safe from anywhere.
    private enum Step { case expire, evict(downTo: Totals), done }

    private let storage: DiskStorage.Backend<Data>
    private var step: Step
    private let progress: Progress?
    /// The files that went.
    private(set) var removedNames: [String] = []

    /// What has expired, and then what is over the limit.
    init(_ storage: DiskStorage.Backend<Data>, progress: Progress?) {
        self.storage = storage
        self.progress = progress
        step = .expire
    }

    /// What is over a target.
    init(_ storage: DiskStorage.Backend<Data>, downTo target: Totals) {
        self.storage = storage
        progress = nil
        step = .evict(downTo: target)
    }

    /// Tells how much there is to do, and that none of it is done, if anybody looks.
    func announce() {
        guard let progress, let summary = try? storage.summary() else { return }
        // It may have watched another clean before.
        progress.completedUnitCount = 0
        let (totals, expired) = (summary.totals, summary.expired)
        let rest = Totals(entries: totals.entries - expired.entries, bytes: totals.bytes - expired.bytes)
        let limits = storage.config.limits
        let target = limits.target(rest, freeBytes: storage.store.evictor.freeBytes(for: limits))
        progress.totalUnitCount = max(1, expired.bytes + (target.map { rest.bytes(over: $0) } ?? 0))
    }

    /// Removes one batch.
    ///
    /// - Returns: whether there may be more to do.
    func runBatch() -> Bool {
        guard progress?.isCancelled != true else { return false }
        switch step {
        case .expire:
            if !remove({ try storage.removeExpired(shouldContinue: $0) }) { step = nextStep() }
        case .evict(let target):
            if !remove({ try storage.evict(downTo: target, shouldContinue: $0) }) { step = .done }
        case .done: break
        }
        if case .done = step {
            finish()
            return false
        }
        return true
    }

    /// Estimates end as facts: what could not be removed is done with, and the last one evicted may have been larger than
    /// need be.
    private func finish() {
        guard let progress else { return }
        progress.totalUnitCount = max(1, progress.totalUnitCount, progress.completedUnitCount)
        progress.completedUnitCount = progress.totalUnitCount
    }

    private func nextStep() -> Step {
        let limits = storage.config.limits
        // An index that cannot be read now has nothing that could be evicted now.
        guard !limits.isUnlimited, let target = try? storage.target(of: limits, adopting: true) else { return .done }
        return .evict(downTo: target)
    }

    /// Whether anything went. What cannot be removed, or cannot be removed now, is left for the next clean.
    private func remove(_ body: ((Removal) -> Bool) throws -> Removal) -> Bool {
        guard let removal = try? body({ $0.entries == 0 }) else { return false }
        removedNames += removal.names.map(\.text)
        progress?.completedUnitCount += removal.bytes
        return removal.entries > 0
    }
}

extension Totals {
    /// Bytes that have to go, if all entries are of one size.
    fileprivate func bytes(over target: Totals) -> Int64 {
        let share = target.entries < entries ? Double(entries - target.entries) / Double(entries) : 0
        return max(bytes - min(bytes, target.bytes), Int64(Double(bytes) * share))
    }
}
