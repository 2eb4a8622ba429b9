internal import Foundation

/// Unlinks replaced and removed blobs off the caller's path: an unlink costs 80 to 100 µs on some volumes.
///
/// The backlog is bounded in number and bytes; who would exceed it unlinks himself. What a crash leaves is found by the
/// sweep.
final class Unlinker: Sendable {
    private let blobs: BlobStore
    private let housekeeping: Housekeeping
    private let tuning: Tuning
    private let backlog = Locked(Backlog())

    /// A file that no row names any more.
    struct Waste {
        let blob: DetachedBlob
        /// Bytes.
        let size: Int64
    }

    private struct Backlog {
        var waste: [Waste] = []
        var bytes: Int64 = 0
    }

    init(blobs: BlobStore, housekeeping: Housekeeping, tuning: Tuning) {
        self.blobs = blobs
        self.housekeeping = housekeeping
        self.tuning = tuning
    }

    /// Takes over a file that no row names any more.
    func add(_ blob: DetachedBlob, size: Int64) {
        guard accept(Waste(blob: blob, size: size)) else { return unlink(blob) }
        housekeeping.request(.unlink)
    }

    /// Takes over what a batch has removed, and unlinks what waits beside the housekeeping, for as long as the caller has to leave
    /// others the lock anyway.
    ///
    /// - Returns: what is left of that time, because nothing waits any more.
    func add(_ batch: [Waste], helpingFor time: Duration) -> Duration {
        let begin = ContinuousClock.now
        let refused = batch.filter { !accept($0) }
        // To wake somebody up takes longer than a few unlinks.
        if batch.count > Self.few { housekeeping.request(.unlink) }
        refused.forEach { unlink($0.blob) }
        while ContinuousClock.now - begin < time, unlinkSome() {}
        if batch.count <= Self.few { drain() }
        return time - (ContinuousClock.now - begin)
    }

    private func accept(_ waste: Waste) -> Bool {
        backlog.withLock { backlog in
            guard backlog.waste.count < tuning.unlinkBacklogCount,
                backlog.bytes + waste.size <= tuning.unlinkBacklogBytes
            else { return false }
            backlog.waste.append(waste)
            backlog.bytes += waste.size
            return true
        }
    }

    /// Unlinks all that waits.
    func drain() { while unlinkSome() {} }

    /// As ``drain()``, and waits for what somebody else is unlinking.
    func finish() {
        drain()
        housekeeping.waitForUnlinking()
    }

    private static let few = 16

    /// - Returns: false when nothing waits.
    private func unlinkSome() -> Bool {
        let some = backlog.withLock { backlog in
            let some = backlog.waste.suffix(Self.few)
            backlog.waste.removeLast(some.count)
            backlog.bytes -= some.reduce(0) { $0 + $1.size }
            return some
        }
        some.forEach { unlink($0.blob) }
        return !some.isEmpty
    }

    private func unlink(_ blob: DetachedBlob) {
        // What cannot be unlinked now stays in our folder, out of everybody's sight, until a sweep.
        try? blobs.unlink(blob)
    }
}
