internal import HalcyonSQLite

extension EntryStore {
    /// The first entries that meet a filter, behind a position in an order. As of one moment.
    func page(
        matching filter: EntryFilter, in order: EntryOrder, descending: Bool, after start: EntryPosition?, limit: Int
    ) throws -> IndexSession.Page {
        try query { session in
            try session.page(
                conditions(filter), in: order, descending: descending, after: start, limit: limit)
        }
    }

    /// All entries that meet a filter, in an order: their ids, as of one moment.
    func ids(
        matching filter: EntryFilter, in order: EntryOrder, descending: Bool
    ) throws -> [Int64] {
        try query { try $0.ids(conditions(filter), in: order, descending: descending) }
    }

    /// Those of some entries that meet a filter now, in the order of their ids' list.
    func records(of ids: some Sequence<Int64>, matching filter: EntryFilter) throws -> [EntryRecord] {
        try query { try $0.records(of: ids, conditions(filter)) }
    }

    /// Number and bytes of the entries that meet a filter, without handing any of them over.
    func totals(matching filter: EntryFilter) throws -> Totals {
        if filter.isUnconditional { return try evictor.totals() }
        return try query { try $0.totals(conditions(filter)) }
    }

    /// The row of a name with everything that is known of it; nil where there is none.
    func record(of name: BlobName) throws -> EntryRecord? {
        try LockPatience.briefly {
            try adopter.adoptAhead(name.withFormer)
            recorder.flushAccessLog()
        }
        return try index.read { try record(of: name, in: $0) }
    }

    /// As ``record(of:)``, in a transaction.
    func record(of name: BlobName, in session: IndexSession) throws -> EntryRecord? {
        let record = try session.record(of: name.withFormer, at: now)
        return try record.flatMap { try isBeingCleared($0.entry, in: session) ? nil : $0 }
    }

    func conditions(_ filter: EntryFilter) -> EntryConditions {
        EntryConditions(filter, at: now, clearedUpTo: condition.clearedUpTo)
    }

    /// Brings up to date what a query reads, rows of files and accesses of this process, and asks as of one moment.
    ///
    /// An index that turns out to be damaged is replaced, here or by another process: then its files become entries first.
    func query<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        for _ in 0..<3 {
            try LockPatience.briefly {
                try adopter.finish()
                recorder.flushAccessLog()
                try repairer.normalizePins()
            }
            let result = try readAtOneMoment { session in
                try session.state().adoption == .done ? try body(session) : nil
            }
            if let result { return result }
            _ = index.refreshIfMoved(force: true)
        }
        throw SQLiteError(code: .busy, message: "the index is replaced as fast as it is read")
    }

    /// On a connection of its own: lookups do not wait for it.
    private func readAtOneMoment<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try index.readAtLength { session in try session.connection.reading { try body(session) } }
    }
}
