/// The order of stores in time, whatever the clock does.
extension FolderWork {
    /// The time of a store: not before any earlier store, and after every ``Moment`` that any process has taken. Call it under the
    /// write lock.
    ///
    /// If the clock was set back further than the tolerance, times start again from the clock.
    func storeTime(in session: IndexSession) throws -> Timestamp {
        let (now, latest) = (now, try session.storedAt())
        let isTolerable = latest - now <= 2 * (environment.tuning.writeBackTime + StampSource.tolerance)
        // Otherwise a clear of this process that is under way would remove it.
        return max(now, isTolerable ? latest : now, condition.clearedUpTo?.advanced(by: 1) ?? now)
    }

    /// Takes a moment. The latest store's time is not enough: adopted entries have the times of their files.
    func moment(in session: IndexSession) throws -> Moment {
        // If the clock has jumped back, the latest store is in the future, and later stores precede it.
        let latest = try storeTime(in: session)
        try session.setStoredAt(latest.advanced(by: 1))
        return Moment(latest: latest)
    }

    /// The latest time of a store since a moment. An entry with a later time existed before the moment. Call it under the write
    /// lock, anew in each transaction: a removal may take minutes, and others store meanwhile.
    func latestSince(_ moment: Moment, in session: IndexSession) throws -> Timestamp {
        max(moment.latest.advanced(by: 1), try session.storedAt())
    }

    /// Whether an entry exists only because a clear has not reached it yet.
    func isBeingCleared(_ entry: Entry, in session: IndexSession) throws -> Bool {
        guard let latest = condition.clearedUpTo else { return false }
        // Later than the latest store: from before the clock was set back.
        return try entry.createdAt <= latest || entry.createdAt > max(latest, session.storedAt())
    }
}

/// Separates what exists at a moment from what is stored later.
struct Moment {
    /// Every later store of any process has a later time. An existing entry has a later time only if the clock was set back since.
    /// It is then also later than any store made meanwhile.
    let latest: Timestamp
    /// The number of the latest fetch, for a removal that overtakes earlier ones; see ``RunningFetches``.
    var latestFetch: Int?
}
