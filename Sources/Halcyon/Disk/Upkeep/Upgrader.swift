/// Brings an index of an earlier version to the shape of a new one, after the migration has made it usable.
struct Upgrader: FolderWork {
    let folder: CacheFolder

    /// Finishes an upgrade. Returns at once if nothing is left to do; after an interruption the next call goes on.
    ///
    /// Making the index takes one to two seconds for a million entries, and stores wait for it. All other steps run in batches, and a
    /// store waits for one batch at most.
    ///
    /// - Parameter progress: called with the number of entries looked at.
    func finish(_ progress: (Int) -> Void = { _ in }) throws {
        // So many at most: another index may take this one's place at any time, and what reads may see is not what is written.
        for _ in UpgradeStep.allCases {
            guard let step = try index.read({ try $0.upgradeStep() }) else { return }
            try prepare(step, progress)
            try index.write { session in
                // Another process may have been quicker.
                guard try session.upgradeStep() == step else { return }
                try complete(step, in: session)
                try session.setUpgradeStep(step.next)
            }
            // What each of them writes is as long as the index is.
            index.checkpoint()
        }
    }

    /// Also where it cannot be told now.
    var isFinished: Bool { (try? index.read { try $0.upgradeStep() }) == .some(nil) }

    private func prepare(_ step: UpgradeStep, _ progress: (Int) -> Void) throws {
        switch step {
        case .index, .formerIndexes: break
        case .hosts: try fillHosts(progress)
        case .listing: try emptyListing()
        }
    }

    private func complete(_ step: UpgradeStep, in session: IndexSession) throws {
        switch step {
        case .index: try session.makeIndex()
        case .formerIndexes: try session.dropFormerIndexes()
        case .hosts: break
        case .listing: try session.dropFormerListing()
        }
    }

    private func fillHosts(_ progress: (Int) -> Void) throws {
        let limit = environment.tuning.flushBatchSize
        var last: Int64? = .min
        var done = 0
        while let id = last {
            try stopIfClosing()
            last = try index.writeBatch(isFollowed: { $0 != nil }) { try $0.fillHosts(after: id, limit: limit) }
            done += limit
            progress(done)
        }
    }

    /// Keys and hosts of entries stand there, also of those that are gone by now: as one transaction it would be as long as they are.
    private func emptyListing() throws {
        let limit = environment.tuning.flushBatchSize
        while try index.writeBatch(isFollowed: \.self, { try $0.emptyFormerListing(limit: limit) }) {
            try stopIfClosing()
        }
        try index.shrink()
    }
}
