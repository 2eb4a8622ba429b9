/// Completes the upgrade of an index, which its migration has only made usable.
struct Upgrader: FolderWork {
    let folder: CacheFolder

    /// Finishes an upgrade. Returns at once if nothing is left to do. After an interruption, the next call continues.
    ///
    /// Creating the SQLite index takes one to two seconds for a million entries, and stores wait for it. Dropping the old indexes
    /// and tables is one transaction each, too. The other steps run in batches, and a store waits for at most one batch.
    ///
    /// - Parameter progress: called with the number of entries examined.
    func finish(_ progress: (Int) -> Void = { _ in }) throws {
        // Bounded: another index may replace this one at any time, and a read may not see what was written.
        for _ in UpgradeStep.allCases {
            guard let step = try index.read({ try $0.upgradeStep() }) else { return }
            if step == .hosts { try fillHosts(progress) }
            if step == .listing {
                try index.write { try $0.complete(step) }
                try index.shrink(willBegin: stopIfClosing)
            }
            try index.write { session in
                // Another process may have completed it.
                guard try session.upgradeStep() == step else { return }
                try session.complete(step)
                try session.setUpgradeStep(step.next)
            }
            // Each step makes the log about as long as the index.
            index.checkpoint()
        }
    }

    /// False also if the index cannot be read at the moment.
    var isFinished: Bool { (try? index.read { try $0.upgradeStep() == nil }) ?? false }

    private func fillHosts(_ progress: (Int) -> Void) throws {
        let limit = environment.tuning.flushBatchSize
        var last: Int64? = .min
        var done = 0
        while let id = last {
            try stopIfClosing()
            last = try index.writeBatch(.withoutReserve, isFollowed: { $0 != nil }) {
                try $0.fillHosts(after: id, limit: limit)
            }
            done += limit
            progress(done)
        }
    }
}
