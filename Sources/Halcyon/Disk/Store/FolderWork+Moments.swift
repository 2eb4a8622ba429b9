/// What was stored when, whatever the clock does.
extension FolderWork {
    /// The time of a store: not before that of any store before it, and after every ``Moment`` that somebody has noted, of any
    /// process. Under the write lock.
    ///
    /// A clock that has been put back further than that begins anew.
    func storeTime(in session: IndexSession) throws -> Timestamp {
        let (now, latest) = (now, try session.storedAt())
        return latest - now <= 2 * (environment.tuning.writeBackTime + StampSource.tolerance) ? max(now, latest) : now
    }

    func moment() throws -> Moment { try index.write { try moment(in: $0) } }

    /// Not just the latest store's time: what was adopted is no store, and has the times of its file.
    func moment(in session: IndexSession) throws -> Moment {
        // After the clock has jumped back the latest store is in the future, and later ones are before it.
        let latest = try storeTime(in: session)
        try session.setStoredAt(latest.advanced(by: 1))
        return Moment(latest: latest)
    }

    /// The latest time of a store since a moment. What is later yet was there before. Under the write lock, and anew under each: a
    /// removal may take minutes, and others store meanwhile.
    func latestSince(_ moment: Moment, in session: IndexSession) throws -> Timestamp {
        max(moment.latest, try session.storedAt())
    }

    /// Whether an entry is only there because a clearing has not come to it.
    func isBeingCleared(_ entry: Entry, in session: IndexSession) throws -> Bool {
        guard let latest = condition.clearedUpTo else { return false }
        // Later than the latest store: from before the clock was put back.
        return try entry.createdAt <= latest || entry.createdAt > max(latest, session.storedAt())
    }
}

/// What is there at a moment, and what is stored later.
struct Moment {
    /// Every later store of any process has a later time. So has an entry there only if the clock was put back since: then it
    /// is later than any store can be by now.
    let latest: Timestamp
}
