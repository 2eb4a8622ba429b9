/// The listing that version 0.1.0 kept for its queries: tables that nothing reads any more.
struct FormerListing: FolderWork {
    let folder: CacheFolder

    /// Deletes what queries of version 0.1.0 kept for themselves: keys and hosts of entries, also of those that are gone by now.
    func empty() throws {
        guard try index.readAtLength({ try $0.hasFormerListing() }) else { return }
        try index.write { try $0.stopListing() }
        let limit = environment.tuning.flushBatchSize
        while try index.writeBatch(isFollowed: \.self, { try $0.emptyFormerListing(limit: limit) }) {
            try stopIfClosing()
        }
        try index.shrink()
    }
}
