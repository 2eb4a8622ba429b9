/// Brings an index of an earlier version to the shape of a new one, after the migration has made it usable.
struct Upgrader: FolderWork {
    let folder: CacheFolder

    /// Takes a second for a million entries, in which stores wait, and some more in batches, in which they do not. Ends at once where
    /// nothing is left to do.
    func finish() throws {
        while let step = try index.read({ try $0.upgradeStep() }) {
            switch step {
            case .indexes: break
            case .hosts: try fillHosts()
            case .listing: try emptyListing()
            }
            try index.write { session in
                // Another process may have been quicker.
                guard try session.upgradeStep() == step else { return }
                if step == .indexes { try session.replaceIndexes() }
                if step == .listing { try session.dropFormerListing() }
                try session.setUpgradeStep(step.next)
            }
        }
    }

    private func fillHosts() throws {
        let limit = environment.tuning.flushBatchSize
        var last: Int64? = .min
        while let id = last {
            try stopIfClosing()
            last = try index.writeBatch(isFollowed: { $0 != nil }) { try $0.fillHosts(after: id, limit: limit) }
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
