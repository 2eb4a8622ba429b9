internal import HalcyonSQLite

/// Which entries meet a filter, and in which order: one statement each, put together of what the filter asks.
extension IndexSession {
    /// Some of the entries that meet a filter.
    struct Page {
        var records: [EntryRecord] = []
        /// Where each of them stands in the order.
        var positions: [EntryPosition] = []
        var hasMore = false
    }

    /// The first entries that meet a filter, behind a position in an order.
    ///
    /// Reads the whole table, and keeps as many rows as are asked for; all entries by access have an index.
    func page(
        _ conditions: EntryConditions, in order: EntryOrder, descending: Bool, after start: EntryPosition?, limit: Int
    ) throws -> Page {
        let isWalk = order == .access && conditions.fragments.isEmpty
        let sql =
            isWalk
            ? [descending ? IndexSQL.byAccessDescending : IndexSQL.byAccess]
            : [IndexSQL.selectRecords, order.columns, IndexSQL.fromEntries] + conditions.fragments
                + (start == nil ? [] : [" AND (", order.columns, descending ? ") < (?, ?, ?)" : ") > (?, ?, ?)"])
                + [" ORDER BY ", descending ? order.descending : order.columns, " LIMIT ?"]
        return try connection.with(joining: sql) { statement in
            var parameters = Parameters(of: statement)
            try conditions.bind(&parameters)
            if let start = start ?? (isWalk ? (descending ? .beyondAll : .beforeAll) : nil) {
                try start.bind(&parameters, in: order)
            }
            try parameters.add(Int64(limit) + 1)
            return try page(of: limit, statement, in: order)
        }
    }

    private func page(of limit: Int, _ statement: Statement, in order: EntryOrder) throws -> Page {
        var page = Page()
        while try statement.step() {
            page.hasMore = page.records.count == limit
            guard !page.hasMore else { break }
            page.records.append(record(statement))
            page.positions.append(EntryPosition(statement, in: order))
        }
        for index in page.records.indices { try describe(&page.records[index]) }
        return page
    }

    /// All entries that meet a filter, in an order: their ids.
    func ids(_ conditions: EntryConditions, in order: EntryOrder, descending: Bool) throws -> [Int64] {
        let sql =
            [IndexSQL.selectIDs] + conditions.fragments
            + [" ORDER BY ", descending ? order.descending : order.columns]
        return try connection.with(joining: sql) { statement in
            var parameters = Parameters(of: statement)
            try conditions.bind(&parameters)
            var ids: [Int64] = []
            while try statement.step() { ids.append(statement.integer(at: 0)) }
            return ids
        }
    }

    /// The entries with some ids that meet a filter, in the order of the ids.
    func records(of ids: some Sequence<Int64>, _ conditions: EntryConditions) throws -> [EntryRecord] {
        let sql = [IndexSQL.selectRecords, "id", IndexSQL.fromEntries] + conditions.fragments + [" AND id = ?"]
        return try connection.with(joining: sql) { statement in
            var parameters = Parameters(of: statement)
            try conditions.bind(&parameters)
            return try ids.compactMap { id in
                statement.rewind()
                statement.bind(id, at: parameters.next)
                guard try statement.step() else { return nil }
                var record = record(statement)
                try describe(&record)
                return record
            }
        }
    }

    /// Number and bytes of the entries that meet a filter.
    func totals(_ conditions: EntryConditions) throws -> Totals {
        try connection.with(joining: [IndexSQL.selectTotals] + conditions.fragments) { statement in
            var parameters = Parameters(of: statement)
            try conditions.bind(&parameters)
            return try statement.step() ? statement.totals(at: 0) : Totals(entries: 0, bytes: 0)
        }
    }

    /// The row of the first of some names that has one, with everything that is known of it.
    func record(of names: [BlobName], at now: Timestamp) throws -> EntryRecord? {
        for name in names {
            guard let entry = try entry(named: name) else { continue }
            return try records(of: [entry.id], EntryConditions(.all, at: now)).first
        }
        return nil
    }

    /// An entry with its uses; tags and metadata are added by ``describe(_:)``.
    private func record(_ statement: Statement) -> EntryRecord {
        EntryRecord(
            entry: Entry(statement), hits: statement.quantity(at: 11), slack: statement.slack(at: 12),
            baseLength: statement.isNull(at: 13) ? nil : Int(clamping: statement.quantity(at: 13)))
    }

    // MARK: Totals

    func pinnedTotals() throws(SQLiteError) -> Totals { try totals(IndexSQL.pinnedTotals) }

    /// Bytes that blobs take up beyond their sizes.
    func slack() throws(SQLiteError) -> Int64 {
        try connection.with(IndexSQL.slack) { (statement) throws(SQLiteError) in
            try statement.step() ? statement.slack(at: 0) : 0
        }
    }
}

extension EntryPosition {
    /// From the columns behind those of a record.
    fileprivate init(_ statement: Statement, in order: EntryOrder) {
        let id = statement.integer(at: 0)
        switch order {
        case .key: self.init(key: statement.text(at: 14), id: id)
        case .access: self.init(value: statement.integer(at: 14), second: statement.integer(at: 15), id: id)
        case .size, .created, .expiration: self.init(value: statement.integer(at: 14), id: id)
        }
    }

    fileprivate func bind(_ parameters: inout Parameters, in order: EntryOrder) throws(SQLiteError) {
        if order == .key { try parameters.add(key) } else { try parameters.add(value) }
        try parameters.add(order == .access ? second : id)
        try parameters.add(id)
    }

    fileprivate static let beforeAll = EntryPosition(value: .min, second: .min, id: .min)
    fileprivate static let beyondAll = EntryPosition(value: .max, second: .max, id: .max)
}

extension EntryOrder {
    /// What entries are sorted by: three columns, of which the last is the id.
    fileprivate var columns: StaticString {
        switch self {
        case .access: "+accessed_at, size, id"
        case .size: "+size, id, id"
        case .created: "+created_at, id, id"
        case .expiration:
            "CASE WHEN pinned > 0 THEN 9223372036854775807 ELSE coalesce(expires_at, 9223372036854775807) END, id, id"
        case .key: "coalesce(key, ''), id, id"
        }
    }

    fileprivate var descending: StaticString {
        switch self {
        case .access: "+accessed_at DESC, size DESC, id DESC"
        case .size: "+size DESC, id DESC"
        case .created: "+created_at DESC, id DESC"
        case .expiration:
            """
            CASE WHEN pinned > 0 THEN 9223372036854775807 ELSE coalesce(expires_at, 9223372036854775807) END DESC, id DESC
            """
        case .key: "coalesce(key, '') DESC, id DESC"
        }
    }
}
