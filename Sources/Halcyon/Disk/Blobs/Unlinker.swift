internal import Foundation
internal import HalcyonSQLite

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
    struct PendingUnlink {
        let blob: DetachedBlob
        /// Bytes; what a damaged index says is bounded.
        let size: Int64

        init(blob: DetachedBlob, size: Int64) {
            self.blob = blob
            self.size = min(max(0, size), 1 << 40)
        }
    }

    private struct Backlog {
        var pending: [PendingUnlink] = []
        var bytes: Int64 = 0
    }

    init(blobs: BlobStore, housekeeping: Housekeeping, tuning: Tuning) {
        self.blobs = blobs
        self.housekeeping = housekeeping
        self.tuning = tuning
    }

    /// Takes over a file that no row names any more.
    func add(_ blob: DetachedBlob, size: Int64) {
        guard accept(PendingUnlink(blob: blob, size: size)) else { return unlink(blob) }
        housekeeping.request(.unlink)
    }

    /// Takes over what a batch has removed, and returns when little waits.
    ///
    /// Who removes does not unlink beside the housekeeping: two are quicker, and leave no processor to those who read meanwhile.
    func add(_ batch: [PendingUnlink]) {
        // To wake somebody up takes longer than a few unlinks.
        guard batch.count > Self.chunk else { return batch.forEach { unlink($0.blob) } }
        let refused = batch.filter { !accept($0) }
        housekeeping.request(.unlink)
        refused.forEach { unlink($0.blob) }
        let deadline = MonotonicTime.now.adding(milliseconds: 50)
        // Not for ever: what is refused from then on bounds the backlog too.
        while isLong, MonotonicTime.now < deadline { usleep(500) }
    }

    private var isLong: Bool { backlog.withLock { $0.pending.count > 2 * tuning.batchSize } }

    private func accept(_ unlink: PendingUnlink) -> Bool {
        backlog.withLock { backlog in
            guard backlog.pending.count < tuning.unlinkBacklogCount,
                backlog.bytes + unlink.size <= tuning.unlinkBacklogBytes
            else { return false }
            backlog.pending.append(unlink)
            backlog.bytes += unlink.size
            return true
        }
    }

    /// Unlinks all that waits now; what others add meanwhile is theirs.
    func drain() { drain(backlog.withLock { $0.pending.count }) }

    /// Unlinks what waits, in housekeeping: whoever waits for its queue gets in between.
    func drainInTurns() {
        drain(Self.turnLimit)
        if backlog.withLock({ !$0.pending.isEmpty }) { housekeeping.request(.unlink) }
    }

    private func drain(_ limit: Int) {
        var left = limit
        while left > 0 {
            let count = unlinkChunk()
            guard count > 0 else { return }
            left -= count
        }
    }

    /// As ``drain()``, and waits for what somebody else is unlinking.
    func finish() {
        drain()
        housekeeping.waitForUnlinking()
    }

    private static let chunk = 16
    private static let turnLimit = 64

    /// - Returns: how many; 0 when nothing waits. The oldest first.
    private func unlinkChunk() -> Int {
        let chunk = backlog.withLock { backlog in
            let chunk = Array(backlog.pending.prefix(Self.chunk))
            backlog.pending.removeFirst(chunk.count)
            backlog.bytes -= chunk.reduce(0) { $0 + $1.size }
            return chunk
        }
        chunk.forEach { unlink($0.blob) }
        return chunk.count
    }

    private func unlink(_ blob: DetachedBlob) {
        // What cannot be unlinked now stays in our folder, out of everybody's sight, until a sweep.
        try? blobs.unlink(blob)
    }
}
