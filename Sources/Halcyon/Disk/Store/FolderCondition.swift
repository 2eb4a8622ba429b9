/// What is known about the directory since the last opening of the index. Safe from any thread.
final class FolderCondition: Sendable {
    /// The part of the storage's configuration that concerns all its files.
    struct Settings {
        /// The expiration of adopted files.
        var adoptionExpiration: StorageExpiration = .days(7)
        /// Whether blobs have hashed names, which distinguish them from other files.
        var namesAreHashed = true
        /// Whether the index may store keys.
        var storesKeys = true
        var evictionOrder = EvictionOrder.leastRecentlyUsed
    }

    private struct State {
        /// What the storages of this process on the directory say, in the order of their latest assignments.
        var stated: [(storage: ObjectIdentifier, settings: Settings)] = []
        /// What applies to its files.
        var settings = Settings()
        /// Counts the changes of ``Settings/namesAreHashed``.
        var namings = 0
        /// What the index records. Its distrust stays until this process's own sweep, which alone learns the tokens.
        var index = IndexState()
        /// Tokens of entries dropped for that reason. A reader may have opened such a blob before.
        var droppedTokens: Set<Int64> = []
        var clearings = 0
        /// Entries stored up to this time are being removed.
        var clearedUpTo: Timestamp?

        func trusts(_ entry: Entry) -> Bool {
            guard !droppedTokens.contains(entry.token) else { return false }
            if let time = entry.bootTime { return index.distrustedBoots?.contains(time) != true }
            return index.distrusted?.contains(entry.createdAt) != true
        }

        mutating func apply(at now: Timestamp) {
            // Without any, pending work continues by what the last one said.
            guard var new = stated.last?.settings else { return }
            let all = stated.map(\.settings)
            new.namesAreHashed = all.allSatisfy(\.namesAreHashed)
            new.storesKeys = all.allSatisfy(\.storesKeys)
            func end(_ settings: Settings) -> Timestamp {
                Lifetime(settings.adoptionExpiration, from: now).expiresAt ?? .latest
            }
            for other in all where end(other) > end(new) { new.adoptionExpiration = other.adoptionExpiration }
            if new.namesAreHashed != settings.namesAreHashed { namings += 1 }
            settings = new
        }

        var adoption: Adoption { index.adoption(namesAreHashed: settings.namesAreHashed) }

        func isSearching(asOf index: IndexState) -> Bool { index.isSearching(namesAreHashed: settings.namesAreHashed) }

        func mayAdopt(_ name: BlobName) -> Bool {
            adoption != .done || (index.awaitsLegacyNames && BlobName.isLegacyName(name.text))
        }
    }

    private let state = Locked(State())

    var settings: Settings { state.withLock { $0.settings } }

    /// Sets what a storage of this process says; nil if it is released. Of several, the most careful one decides: another object on
    /// the directory, with the defaults, must not put keys into the index or delete what this one keeps.
    func set(_ settings: Settings?, for storage: ObjectIdentifier, at now: Timestamp) {
        state.withLock { state in
            state.stated.removeAll { $0.storage == storage }
            if let settings { state.stated.append((storage, settings)) }
            state.apply(at: now)
        }
    }

    /// How blobs are named. Differs from that of an earlier moment also if it has changed twice since.
    var naming: (areHashed: Bool, count: Int) { state.withLock { ($0.settings.namesAreHashed, $0.namings) } }

    /// Adopts the state recorded in the index.
    func update(from index: IndexState) {
        state.withLock { state in
            let earlier = state.index
            state.index = index
            state.index.distrusted = index.distrusted ?? earlier.distrusted
            // A new index counts boots from 1 again.
            let isContinued = index.boots >= earlier.boots
            state.index.distrustedBoots = index.distrustedBoots ?? (isContinued ? earlier.distrustedBoots : nil)
        }
    }

    // MARK: Files without a row

    /// Whether files without a row may be entries.
    var isAdopting: Bool { adoption != .done }

    var adoption: Adoption { state.withLock { $0.adoption } }

    /// Whether there may be files that are still to become entries.
    var isSearching: Bool { state.withLock { $0.isSearching(asOf: $0.index) } }

    /// Whether there may be such files, by a state that was just read from the index.
    func isSearching(asOf index: IndexState) -> Bool { state.withLock { $0.isSearching(asOf: index) } }

    /// Whether a file with this name and without a row may be an entry.
    func mayAdopt(_ name: BlobName) -> Bool { state.withLock { $0.mayAdopt(name) } }

    /// Whether a file without a row will be adopted.
    func adopts(_ file: FileStatus, named name: BlobName) -> Bool {
        state.withLock { $0.mayAdopt(name) && file.kind == .regular && file.hasChanged(by: $0.index.adoptsUntil) }
    }

    /// When all files were last compared with the rows.
    var reconciledAt: Timestamp { state.withLock { $0.index.reconciledAt } }

    // MARK: Files with a row

    /// Whether a file is the entry's blob.
    ///
    /// - Parameter hasStableInodes: whether the volume's inode numbers last.
    func isBlob(of entry: Entry, _ file: FileStatus, hasStableInodes: Bool) -> Bool {
        state.withLock { state in
            state.trusts(entry)
                && entry.matches(
                    file, ignoringInode: state.index.isRelearning || !hasStableInodes,
                    ignoringTag: state.index.relearning == .byLength, isCopied: state.index.isRelearning)
        }
    }

    /// Whether the inode numbers of a copied directory are being recorded.
    var isRelearning: Bool { state.withLock { $0.index.isRelearning } }

    // MARK: After a power cut

    /// Whether some stores may not have reached the disk.
    var isDistrusting: Bool { state.withLock { $0.index.isDistrusting } }

    func trusts(_ entry: Entry) -> Bool { state.withLock { $0.trusts(entry) } }

    /// Whether a file without a row had the time to reach the disk, if it was written at this time.
    func trustsFile(writtenAt time: Timestamp) -> Bool {
        // Another library's files never had rows, and their times may be those of a copy.
        state.withLock { $0.index.adoption != .rebuilding || $0.index.distrusted?.contains(time) != true }
    }

    /// Drops an entry. It is never trusted again, whatever happens to the span.
    func drop(_ entry: Entry) { state.withLock { _ = $0.droppedTokens.insert(entry.token) } }

    /// Ends the distrust, after all remaining entries were examined.
    func endDistrust() { state.withLock { ($0.index.distrusted, $0.index.distrustedBoots) = (nil, nil) } }

    /// Whether a row alone determines its blob, and none is about to be removed: nothing is being cleared, relearned or distrusted.
    /// False also if this entry was dropped.
    func rowSuffices(for entry: Entry) -> Bool {
        state.withLock {
            $0.clearings == 0 && !$0.index.isRelearning && !$0.index.isDistrusting
                && !$0.droppedTokens.contains(entry.token)
        }
    }

    // MARK: Clearing

    /// Entries stored up to this time are being removed; nil if there is no clear.
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
