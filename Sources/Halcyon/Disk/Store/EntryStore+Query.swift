internal import HalcyonSQLite

extension EntryStore {
    /// The first entries that meet a filter, behind a position in an order. As of one moment.
    func page(
        matching filter: EntryFilter, in order: EntryOrder, descending: Bool, after start: EntryPosition?, limit: Int
    ) throws -> IndexSession.Page {
        try query { session in
            try session.page(
                EntryConditions(filter, at: now), in: order, descending: descending, after: start, limit: limit)
        }
    }

    /// All entries that meet a filter, in an order: their ids, as of one moment.
    func ids(
        matching filter: EntryFilter, in order: EntryOrder = .access, descending: Bool = false
    ) throws -> [Int64] {
        try query { try $0.ids(EntryConditions(filter, at: now), in: order, descending: descending) }
    }

    /// Those of some entries that meet a filter now, in the order of their ids' list.
    func records(of ids: some Sequence<Int64>, matching filter: EntryFilter) throws -> [EntryRecord] {
        flushAccessLog()
        return try readAtOneMoment { try $0.records(of: ids, EntryConditions(filter, at: now)) }
    }

    /// Number and bytes of the entries that meet a filter, without handing any of them over.
    func totals(matching filter: EntryFilter) throws -> Totals {
        if filter.isUnconditional { return try totals() }
        return try query { try $0.totals(EntryConditions(filter, at: now)) }
    }

    /// The row of a name with everything that is known of it; nil where there is none.
    func record(of name: BlobName) throws -> EntryRecord? {
        try finishAdoption(of: name.withFormer)
        flushAccessLog()
        return try index.read { try record(of: name, in: $0) }
    }

    /// As ``record(of:)``, in a transaction.
    func record(of name: BlobName, in session: IndexSession) throws -> EntryRecord? {
        let record = try session.record(of: name.withFormer, at: now)
        return try record.flatMap { try isBeingCleared($0.entry, in: session) ? nil : $0 }
    }

    /// Brings up to date what a query reads, rows of files and accesses of this process, and asks as of one moment.
    func query<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try finishAdoption()
        flushAccessLog()
        return try readAtOneMoment(body)
    }

    /// On a connection of its own: lookups do not wait for it.
    private func readAtOneMoment<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try index.readAtLength { session in try session.connection.reading { try body(session) } }
    }

    /// Makes rows of single files while others are still to be adopted.
    func finishAdoption(of names: [BlobName]) throws { for name in names { try adoptBeforeReplacing(name) } }
}
