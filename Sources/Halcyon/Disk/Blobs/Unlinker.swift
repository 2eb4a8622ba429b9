internal import Foundation
internal import HalcyonSQLite

/// Unlinks replaced and removed blobs off the caller's path: an unlink takes 80 to 100 µs on some volumes.
///
/// The backlog is bounded in number and bytes. A caller that would exceed it unlinks its files itself. The sweep deletes what a
/// crash leaves.
final class Unlinker: Sendable {
    private let blobs: BlobStore
    private let housekeeping: Housekeeping
    private let tuning: Tuning
    private let backlog = Locked(Backlog())
    /// Held while a chunk is unlinked: two threads are faster, but leave no processor for readers.
    private let turn = NSLock()

    /// A file that no row refers to any more.
    typealias PendingUnlink = (blob: DetachedBlob, size: Int64)

    private struct Backlog {
        var pending: [PendingUnlink] = []
        var bytes: Int64 = 0

        /// Removes the oldest files. Their bytes count until they are unlinked.
        mutating func take(_ count: Int) -> [PendingUnlink] {
            let chunk = Array(pending.prefix(count))
            pending.removeFirst(chunk.count)
            return chunk
        }
    }

    init(blobs: BlobStore, housekeeping: Housekeeping, tuning: Tuning) {
        self.blobs = blobs
        self.housekeeping = housekeeping
        self.tuning = tuning
    }

    /// Takes over a file that no row refers to any more.
    func add(_ blob: DetachedBlob, size: Int64) {
        guard accept((blob, size)) else { return unlink(blob) }
        // Waking another thread for each overwrite would take a sixth of its time.
        housekeeping.request(.unlinkLater, afterMilliseconds: tuning.unlinkDelay)
    }

    /// Takes over the files of a batch, and returns when few are waiting.
    ///
    /// The calling thread does not unlink many files beside another: two threads are faster, but leave no processor for readers.
    func add(_ batch: [PendingUnlink]) {
        // Waking another thread takes longer than a few unlinks.
        guard batch.count > Self.chunk else { return batch.forEach { unlink($0.blob) } }
        let refused = batch.filter { !accept($0) }
        housekeeping.request(.unlink)
        refused.forEach { unlink($0.blob) }
        let deadline = MonotonicTime.now.adding(milliseconds: 50)
        // Bounded, because refusals bound the backlog after that.
        while isLong, MonotonicTime.now < deadline { unlinkChunk() }
    }

    /// The bytes of the files that are not unlinked yet.
    var pendingBytes: Int64 { backlog.withLock { $0.bytes } }

    private var isLong: Bool { backlog.withLock { $0.pending.count > 2 * tuning.batchSize } }

    private func accept(_ unlink: PendingUnlink) -> Bool {
        backlog.withLock { backlog in
            guard backlog.pending.count < tuning.unlinkBacklogCount,
                unlink.size <= tuning.unlinkBacklogBytes - backlog.bytes
            else { return false }
            backlog.pending.append(unlink)
            backlog.bytes += unlink.size
            return true
        }
    }

    /// Unlinks the files that wait now, but not those that other threads add meanwhile. Waits for a chunk that another thread is
    /// unlinking.
    ///
    /// Does not wait for housekeeping's queue: it may need a thread of the pool, and this may be one.
    func finish() {
        var left = backlog.withLock { $0.pending.count }
        repeat {
            unlinkChunk()
            left -= Self.chunk
        } while left > 0
    }

    private func unlinkChunk() {
        turn.withLock {
            let chunk = backlog.withLock { $0.take(Self.chunk) }
            for (blob, _) in chunk { unlink(blob) }
            backlog.withLock { $0.bytes -= chunk.reduce(0) { $0 + $1.size } }
        }
    }

    private static let chunk = 16

    private func unlink(_ blob: DetachedBlob) {
        // What cannot be unlinked now stays in our own directory, where no reader looks, until a sweep.
        try? blobs.unlink(blob)
    }
}
