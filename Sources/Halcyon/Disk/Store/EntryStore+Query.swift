internal import HalcyonSQLite

extension EntryStore {
    /// Number and bytes of the entries that match a filter, without reading each of them into memory.
    func totals(matching filter: EntryFilter) throws -> Totals {
        if filter.isUnconditional { return try evictor.totals() }
        return try query { try $0.totals(conditions(filter)) }
    }

    /// The row of a name with everything that is known about it; nil if there is none.
    func record(of name: BlobName) throws -> EntryRecord? {
        try againIfReplaced {
            _ = index.refreshIfMoved(force: true)
            try adopter.adoptAhead(name.withFormer)
            recorder.flushAccessLog()
            return try index.read { try record(of: name, in: $0) }
        }
    }

    /// Runs `body`, and again if it finds nothing because it has replaced a damaged index.
    func againIfReplaced<Result>(_ body: () throws -> Result?) rethrows -> Result? {
        let generation = index.generation
        if let result = try body() { return result }
        return index.generation == generation ? nil : try body()
    }

    /// Like ``record(of:)``, in a transaction.
    func record(of name: BlobName, in session: IndexSession) throws -> EntryRecord? {
        let record = try session.record(of: name.withFormer, at: now)
        return try record.flatMap { try isBeingCleared($0.entry, in: session) ? nil : $0 }
    }

    func conditions(_ filter: EntryFilter) -> EntryConditions {
        EntryConditions(filter, at: now, clearedUpTo: condition.clearedUpTo)
    }

    /// Adopts files and flushes the accesses of this process, then runs a query as of one moment.
    ///
    /// If the index turns out to be damaged, this or another process replaces it. Its files then become entries first.
    func query<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        for _ in 0..<3 {
            try adopter.finish()
            recorder.flushAccessLog()
            let result = try index.readAtLength { session in
                try condition.isSearching(asOf: session.state()) ? nil : try body(session)
            }
            if let result { return result }
            _ = index.refreshIfMoved(force: true)
        }
        throw SQLiteError(code: .busy, message: "the index kept being replaced while it was being read")
    }
}
