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

    private struct Backlog {
        var blobs: [DetachedBlob] = []
        var bytes: Int64 = 0
    }

    init(blobs: BlobStore, housekeeping: Housekeeping, tuning: Tuning) {
        self.blobs = blobs
        self.housekeeping = housekeeping
        self.tuning = tuning
    }

    /// Takes over a file that no row names any more.
    func add(_ blob: DetachedBlob, size: Int64) {
        let isAccepted = backlog.withLock { backlog in
            guard backlog.blobs.count < tuning.unlinkBacklogCount,
                backlog.bytes + size <= tuning.unlinkBacklogBytes
            else { return false }
            backlog.blobs.append(blob)
            backlog.bytes += size
            return true
        }
        guard isAccepted else { return unlink(blob) }
        housekeeping.request(.unlink)
    }

    /// Unlinks all that waits.
    func drain() {
        let waiting = backlog.withLock { backlog in
            defer { backlog = Backlog() }
            return backlog.blobs
        }
        waiting.forEach(unlink)
    }

    private func unlink(_ blob: DetachedBlob) {
        // What cannot be unlinked now stays in our folder, out of everybody's sight, until a sweep.
        try? blobs.unlink(blob)
    }
}
