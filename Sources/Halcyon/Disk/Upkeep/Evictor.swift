/// Enforces the limits, and removes what has expired.
struct Evictor: FolderWork {
    let folder: CacheFolder
    let adopter: Adopter
    let recorder: AccessRecorder
    let remover: Remover

    /// Removes what has expired at `now`, except pinned entries and those whose blobs cannot be removed.
    ///
    /// - Parameters:
    ///   - found: rows that an earlier call has found and not looked at yet; then those that this call leaves.
    ///   - shouldContinue: called before each batch with what was removed so far; false ends the removal.
    func removeExpired(
        at now: Timestamp, found: inout [Int64], shouldContinue: (Removal) -> Bool = { _ in true }
    ) throws -> Removal {
        try untilIndexStays { earlier in
            guard shouldContinue(earlier) else { return Removal() }
            return try removeExpiredOnce(at: now, found: &found) { shouldContinue(earlier.adding($0)) }
        }
    }

    private func removeExpiredOnce(
        at now: Timestamp, found: inout [Int64], shouldContinue: (Removal) -> Bool
    ) throws -> Removal {
        _ = index.refreshIfMoved(force: true)
        try adoptUnlessLogIsFull()
        recorder.flushAccesses()
        if found.isEmpty { try clampFutureAccesses() }
        guard try !index.read({ try $0.nothingHasExpired(at: now) }) else { return Removal() }
        Reclaimer(folder: folder).finishBeforeChange(adopter)
        let removal = remover.removing(as: \.expirations) { removal in
            while try removeExpired(at: now, found: &found, into: &removal, shouldContinue), shouldContinue(removal) {}
            return shouldContinue(removal)
        }
        // If this fails, the next clean looks again.
        if removal.isComplete { try? raiseEarliestExpiry() }
        return removal
    }

    /// Returns whether more may have expired.
    private func removeExpired(
        at now: Timestamp, found: inout [Int64], into removal: inout Removal, _ shouldContinue: (Removal) -> Bool
    ) throws -> Bool {
        let (isFresh, former, limit) = (found.isEmpty, removal.entries, 10_000)
        if isFresh { found = try index.readAtLength { try $0.expired(at: now, limit: limit) } }
        let isMore = found.count == limit
        found = try remover.remove(found, counting: \.expirations, into: &removal, shouldContinue: shouldContinue) {
            try $1.compactMap($0.entry(id:)).filter {
                recorder.isExpired($0, at: now)
            }
        }
        let hasProgressed = removal.entries > former
        if !hasProgressed { found = [] }
        // Those found earlier may have changed since. A damaged index may return the same rows repeatedly.
        return !isFresh || isMore && hasProgressed
    }

    /// If the log is full, removals use their reserve, and adoption happens later.
    func adoptUnlessLogIsFull() throws {
        do { try adopter.finish() } catch is EntryIndex.LogFull {}
    }

    /// Records when the next of the remaining entries expires.
    private func raiseEarliestExpiry() throws {
        let scan = environment.tokens.next()
        try index.write { try $0.beginExpiryScan(scan) }
        let next = try index.readAtLength { try $0.nextExpiry() }
        try index.write { try $0.endExpiryScan(scan, next: next) }
    }

    /// Once a limit is reached, removes the least recently used entries down to the low-water mark. Pinned entries stay.
    func evict(
        _ limits: StorageLimits, keepingNames: Bool = true, shouldContinue: (Removal) -> Bool = { _ in true }
    ) throws -> Removal {
        try untilIndexStays { earlier in
            guard shouldContinue(earlier), let target = try target(of: limits) else { return Removal() }
            try clampFutureAccesses()
            return try evict(downTo: target, keepingNames: keepingNames) { shouldContinue(earlier.adding($0)) }
        }
    }

    /// Runs `body`, and again if it met damage: a new index lacks entries until all files are adopted.
    ///
    /// - Parameter body: receives what the runs before have removed.
    private func untilIndexStays(_ body: (Removal) throws -> Removal) throws -> Removal {
        var removal = Removal()
        for _ in 0..<3 {
            do {
                try index.openForChange()
                let generation = index.generation
                removal.add(try body(removal))
                guard index.generation != generation else { break }
            } catch  where removal.entries > 0 {
                removal.failure = error
                break
            }
        }
        return removal
    }

    /// Removes the least recently used entries until at most `target` is left. Pinned entries stay.
    func evict(
        downTo target: Totals, keepingNames: Bool = true, shouldContinue: (Removal) -> Bool = { _ in true }
    ) throws -> Removal {
        try index.openForChange()
        recorder.flushAccesses()
        var isExhausted = false
        let removal = remover.removeBatches(
            counting: \.evictions, keepingNames: keepingNames, shouldContinue: shouldContinue
        ) { session, obstacles in
            // Computed anew under each lock: others store and remove meanwhile.
            let totals = try session.totals()
            let need = Totals(entries: totals.entries - target.entries, bytes: totals.bytes - target.bytes)
            guard need.bytes > 0 || need.entries > 0 else { return [] }
            let victims = try session.victims(
                need: need + obstacles, limit: environment.tuning.batchSize + Int(obstacles.entries))
            isExhausted = victims.isEmpty
            return victims
        }
        // Either the rest is pinned, or the totals are wrong.
        if isExhausted { _ = try? remover.settler.recountTotals() }
        return removal
    }

    /// The free space of the volume once the removed files are unlinked; nil if no limit needs it.
    func freeBytes(for limits: StorageLimits) -> Int64? {
        // A volume that does not report its free space counts as not full.
        guard limits.freeBytes > 0 else { return nil }
        // Looked up first: what is unlinked in between counts twice, and the eviction comes a little later.
        let pending = remover.unlinker.pendingBytes
        return (try? environment.fileSystem.freeBytes(at: blobs.directory)).map { min($0, Totals.limit) + pending }
    }

    /// Moves accesses in the future, left by a clock that has jumped back, to now. They would never be evicted. If the frequency
    /// bonus has moved many ranks ahead, this takes O(entries).
    ///
    /// Their entries then live their duration from now. If it is this clock that is wrong, they expire early once it is right, so not
    /// before a clock without a battery has been set.
    func clampFutureAccesses() throws {
        guard environment.uptime() >= environment.tuning.clockSettleTime else { return }
        // Reads noted before the clock jumped back would bring their times back later.
        recorder.flushAccesses()
        let now = now
        let bounds = FutureBounds(at: now)
        // With ranks ahead, it counts the entries, which lookups must not wait for.
        let isLong = try index.read { try $0.hasRanksAhead() }
        let hasFuture = { (session: IndexSession) in try session.hasFuture(beyond: bounds) }
        guard try isLong ? index.readAtLength(hasFuture) : index.read(hasFuture) else { return }
        let limit = environment.tuning.flushBatchSize
        // Bounded, because a damaged index may return the same rows repeatedly.
        let most = try Int(clamping: index.read { try $0.totals() }.entries) / limit
        for _ in 0...max(0, most) {
            let clamped = try index.writeBatch(isFollowed: { $0 == limit }) {
                try $0.clampFuture(beyond: bounds, to: now, limit: limit)
            }
            guard clamped == limit else { return }
        }
    }
}
