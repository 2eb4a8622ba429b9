/// What is known of the folder since the index was opened last. Safe from any thread.
final class FolderCondition: Sendable {
    /// What the storage's configuration says of all its files.
    struct Settings {
        /// What an adopted file lives for.
        var adoptionExpiration: StorageExpiration = .days(7)
        /// Whether blobs have hashed names, so that a name tells a blob from a stranger.
        var namesAreHashed = true
        /// Whether the index may know keys.
        var storesKeys = true
        var evictionOrder = EvictionOrder.leastRecentlyUsed
    }

    private struct State {
        var settings = Settings()
        /// Files without a row may be entries that nobody has adopted yet.
        var adoption = Adoption.done
        var adoptsUntil = Timestamp(milliseconds: 0)
        /// Files under the names of Kingfisher 7 have not become entries yet.
        var awaitsLegacyNames = false
        /// Inode numbers in rows may be those of another copy of the folder.
        var isRelearning = false
        /// What was stored in this span may not have reached the disk before the power went.
        var distrusted: ClosedRange<Timestamp>?
        /// As this, of stores that know their boot.
        var distrustedBoots: ClosedRange<BootTime>?
        /// Tokens of entries that were dropped for it: a reader may have opened the blob of one before.
        var droppedTokens: Set<Int64> = []
        /// When the folder was last searched for files without a row.
        var reconciledAt = Timestamp(milliseconds: 0)
        var clearings = 0
        /// What was stored up to here is being removed.
        var clearedUpTo: Timestamp?

        func trusts(_ entry: Entry) -> Bool {
            !isDistrusted(entry) && !droppedTokens.contains(entry.token)
        }

        private func isDistrusted(_ entry: Entry) -> Bool {
            if let time = entry.bootTime { return distrustedBoots?.contains(time) == true }
            return distrusted?.contains(entry.createdAt) == true
        }

        func adopts(_ name: BlobName) -> Bool {
            adoption != .done || (awaitsLegacyNames && BlobName.isLegacyName(name.text))
        }
    }

    private let state = Locked(State())

    var settings: Settings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    /// Takes over what the index says of the folder.
    func update(from index: IndexState) {
        state.withLock { state in
            state.adoption = index.adoption
            state.adoptsUntil = index.adoptsUntil
            state.awaitsLegacyNames = index.awaitsLegacyNames
            state.isRelearning = index.isRelearning
            // Until the own sweep has come by: only it knows the tokens.
            state.distrusted = index.distrusted ?? state.distrusted
            state.distrustedBoots = index.distrustedBoots ?? state.distrustedBoots
            state.reconciledAt = index.reconciledAt
        }
    }

    // MARK: Files without a row

    /// Files without a row may be entries.
    var isAdopting: Bool { adoption != .done }

    var adoption: Adoption { state.withLock { $0.adoption } }

    /// There may be files that are to become entries.
    var isSearching: Bool { state.withLock { $0.adoption != .done || $0.awaitsLegacyNames } }

    /// Whether a file of this name that has no row may be an entry.
    func adopts(_ name: BlobName) -> Bool { state.withLock { $0.adopts(name) } }

    /// Whether a file without a row is one that will be adopted.
    func adopts(_ file: FileStatus, named name: BlobName) -> Bool {
        state.withLock { $0.adopts(name) && file.kind == .regular && file.changed <= $0.adoptsUntil }
    }

    /// When all files have been held against the rows.
    var reconciledAt: Timestamp { state.withLock { $0.reconciledAt } }

    // MARK: Files with a row

    /// Whether a file is the entry's blob.
    ///
    /// - Parameter hasStableInodes: whether the volume's inode numbers last.
    func isBlob(of entry: Entry, _ file: FileStatus, hasStableInodes: Bool) -> Bool {
        state.withLock { state in
            state.trusts(entry)
                && entry.matches(
                    file, ignoringInode: state.isRelearning || !hasStableInodes, ignoringTag: state.isRelearning)
        }
    }

    var isRelearning: Bool { state.withLock { $0.isRelearning } }

    // MARK: After a power cut

    /// Some of what was stored may not have reached the disk.
    var isDistrusting: Bool { state.withLock { $0.distrusted != nil || $0.distrustedBoots != nil } }

    func trusts(_ entry: Entry) -> Bool { state.withLock { $0.trusts(entry) } }

    /// An entry that was dropped is never trusted again, however the rest is judged.
    func drop(_ entry: Entry) { state.withLock { _ = $0.droppedTokens.insert(entry.token) } }

    /// All that is left has been looked at.
    func endDistrust() { state.withLock { ($0.distrusted, $0.distrustedBoots) = (nil, nil) } }

    /// Whether each row's blob is judged by the row alone, and none is about to go: nothing is being cleared, relearned or distrusted.
    var isSettled: Bool {
        state.withLock {
            $0.clearings == 0 && !$0.isRelearning && $0.distrusted == nil && $0.distrustedBoots == nil
        }
    }

    // MARK: Clearing

    /// What was stored up to here is being removed; nil while nothing is.
    var clearedUpTo: Timestamp? { state.withLock { $0.clearedUpTo } }

    func beginClearing(upTo time: Timestamp) {
        state.withLock { state in
            state.clearings += 1
            state.clearedUpTo = max(state.clearedUpTo ?? time, time)
        }
    }

    func endClearing() {
        state.withLock { state in
            state.clearings -= 1
            if state.clearings == 0 { state.clearedUpTo = nil }
        }
    }
}
