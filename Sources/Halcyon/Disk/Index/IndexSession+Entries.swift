internal import HalcyonSQLite

/// Filtered and sorted entries. Each call assembles one statement from the filter's conditions.
extension IndexSession {
    /// A part of the entries that meet a filter.
    struct Page {
        var records: [EntryRecord] = []
        /// The position of the last record; nil if no others follow.
        var next: EntryPosition?
    }

    /// The first entries that meet a filter after a position in an order.
    ///
    /// Reads the whole table and keeps the rows of the page. Without a filter, an index serves the order by eviction, and the
    /// order by access while no rank is ahead.
    func page(
        _ conditions: EntryConditions, in order: EntryOrder, descending: Bool, after start: EntryPosition?, limit: Int
    ) throws -> Page {
        if order == .access || order == .eviction, conditions.fragments.isEmpty,
            let page = try walkedPage(in: order, descending: descending, after: start, limit: limit)
        {
            return page
        }
        let sql = IndexSQL.page(conditions, in: order, descending: descending, isFirst: start == nil)
        let values = conditions.values + (start?.values(in: order) ?? []) + [Int64(limit) + 1]
        return try connection.with(joining: sql, values) { try page(of: limit, $0, in: order) ?? Page() }
    }

    /// Reads a page from the index; nil if the index sorts differently, because a rank is ahead of its access or a row was
    /// edited (to a fraction, text, or another pin than 0 and 1).
    private func walkedPage(
        in order: EntryOrder, descending: Bool, after start: EntryPosition?, limit: Int
    ) throws -> Page? {
        guard try connection.integer(IndexSQL.hasOddAccesses) == 0 else { return nil }
        if order == .access, try hasRanksAhead() { return nil }
        let sql = IndexSQL.walk(descending: descending, isFirst: start == nil)
        return try connection.with(joining: sql, [start?.value, start?.second, start?.id, Int64(limit) + 1]) {
            try page(of: limit, $0, in: order) { $0.isInteger(at: 16) && $0.isInteger(at: 17) }
        }
    }

    private func page(
        of limit: Int, _ statement: Statement, in order: EntryOrder, if isPlain: (Statement) -> Bool = { _ in true }
    ) throws -> Page? {
        var (page, last): (Page, EntryPosition?) = (Page(), nil)
        while try statement.step() {
            guard isPlain(statement) else { return nil }
            guard page.records.count < limit else {
                page.next = last
                break
            }
            page.records.append(record(statement))
            last = EntryPosition(statement, in: order)
        }
        for index in page.records.indices { try describe(&page.records[index]) }
        return page
    }

    /// The ids of all entries that meet a filter.
    ///
    /// - Parameter order: nil for none.
    func ids(_ conditions: EntryConditions, in order: EntryOrder?, descending: Bool) throws -> [Int64] {
        let sql = [IndexSQL.selectIDs] + conditions.fragments + IndexSQL.sorting(by: order, descending: descending)
        return try connection.with(joining: sql, conditions.values) { statement in
            var ids: [Int64] = []
            while try statement.step() { ids.append(statement.integer(at: 0)) }
            return ids
        }
    }

    /// The entries among `ids` that meet a filter, in the order of `ids`.
    func records(of ids: some Sequence<Int64>, _ conditions: EntryConditions) throws -> [EntryRecord] {
        try connection.with(joining: IndexSQL.entry(conditions), conditions.values) { statement in
            try ids.compactMap { id in
                statement.rewind()
                statement.bind(id, at: Int32(conditions.values.count + 1))
                guard try statement.step() else { return nil }
                var record = record(statement)
                try describe(&record)
                return record
            }
        }
    }

    /// The number and bytes of the entries that meet a filter.
    func totals(_ conditions: EntryConditions) throws -> Totals {
        try connection.with(joining: [IndexSQL.selectTotals] + conditions.fragments, conditions.values) {
            try $0.step() ? $0.totals(at: 0) : Totals(entries: 0, bytes: 0)
        }
    }

    /// The whole record of the first name that has a row.
    func record(of names: [BlobName], at now: Timestamp) throws -> EntryRecord? {
        for name in names {
            guard let entry = try entry(named: name) else { continue }
            return try records(of: [entry.id], EntryConditions(.all, at: now)).first
        }
        return nil
    }

    /// An entry with its hits and slack; ``describe(_:)`` adds tags and metadata.
    private func record(_ statement: Statement) -> EntryRecord {
        var record = EntryRecord(entry: Entry(statement), hits: statement.quantity(at: 14))
        record.entry.slack = statement.slack(at: 15)
        return record
    }

    // MARK: Totals

    func pinnedTotals() throws(SQLiteError) -> Totals { try totals(IndexSQL.pinnedTotals) }

    /// Bytes allocated for all blobs beyond their sizes.
    func slack() throws(SQLiteError) -> Int64 {
        try connection.first(IndexSQL.slack) { $0.slack(at: 0) } ?? 0
    }
}

extension EntryPosition {
    /// Reads the columns after those of a record.
    fileprivate init(_ statement: Statement, in order: EntryOrder) {
        let id = statement.integer(at: 0)
        switch order {
        case .key:
            let bytes = statement.bytes(at: 16)
            let key = String(decoding: bytes, as: UTF8.self)
            self.init(key: key, id: id, bytes: key.utf8.elementsEqual(bytes) ? nil : Array(bytes))
        case .access, .eviction: self.init(value: statement.integer(at: 16), second: statement.integer(at: 17), id: id)
        case .size, .created, .expiration: self.init(value: statement.integer(at: 16), id: id)
        }
    }

    /// The values of the columns of ``EntryOrder/columns``.
    fileprivate func values(in order: EntryOrder) -> [any Bindable] {
        let first: any Bindable = order == .key ? bytes ?? Array(key.utf8) : value
        return [first, order == .access || order == .eviction ? second : id, id]
    }
}
