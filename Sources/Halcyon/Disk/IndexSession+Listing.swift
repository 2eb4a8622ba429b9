internal import HalcyonSQLite

/// The listing: entries by image, host, processor, size, age and key. Made for whoever asks first, and from then on a little
/// behind the entries.
///
/// It is made in two steps, each in bounded transactions: a row for each entry, in the order of ids; then the tables behind
/// it, each in its own order, a large chunk of rows at a time. From the first step on the index notes which entries change,
/// and their rows are made anew when all is done.
extension IndexSession {
    /// How far the listing is.
    enum ListingState: Equatable {
        /// Entries behind this id have no rows yet; nil: nobody has asked.
        case unlisted(after: Int64?)
        /// Rows behind this id are not in the tables behind the listing.
        case unsorted(after: Int64)
        /// Some entries have changed since.
        case behind
        case current
    }

    func listingState() throws(SQLiteError) -> ListingState {
        try connection.with(IndexSQL.listingState) { (statement) throws(SQLiteError) in
            guard try statement.step() else { return .unlisted(after: nil) }
            let listedTo = statement.optionalInteger(at: 0)
            guard listedTo == .max else { return .unlisted(after: listedTo) }
            let sortedTo = statement.optionalInteger(at: 1) ?? .min
            guard sortedTo == .max else { return .unsorted(after: sortedTo) }
            return statement.integer(at: 2) != 0 ? .behind : .current
        }
    }

    /// Whether the listing has been made, and is up to date but for what has changed lately.
    func isListed() throws(SQLiteError) -> Bool { [.behind, .current].contains(try listingState()) }

    // MARK: Making it

    /// Makes rows of entries that have none, so many at most.
    ///
    /// - Returns: how many.
    func list(limit: Int) throws(SQLiteError) -> Int {
        guard case .unlisted(let last) = try listingState() else { return 0 }
        if last == nil, try clearListing(limit: limit) { return 0 }
        let entries = try listable(after: last ?? .min, limit: limit)
        for entry in entries { _ = try list(entry) }
        if last == nil {
            try setMark(IndexSQL.setSortedTo, Self.mark(from: .min, below: min(entries.first?.id ?? 0, 0)))
        }
        try setMark(IndexSQL.setListedTo, entries.count < limit ? .max : entries.last?.id)
        return entries.count
    }

    /// Rows that are not in the tables behind the listing, in the order of their ids.
    func unsorted(after id: Int64, limit: Int) throws(SQLiteError) -> [ListedEntry] {
        try connection.with(IndexSQL.unsorted) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            statement.bind(Int64(limit), at: 2)
            var rows: [ListedEntry] = []
            while try statement.step() { rows.append(ListedEntry(statement, key: statement.optionalText(at: 6))) }
            return rows
        }
    }

    /// Puts rows into one table; they are in its order.
    func sort(_ rows: some Sequence<ListedEntry>, by column: ListingColumn) throws(SQLiteError) {
        for row in rows { try change(column.insertion, column, row) }
    }

    /// Notes that rows up to an id are in all tables.
    func setSorted(to id: Int64) throws(SQLiteError) { try setMark(IndexSQL.setSortedTo, id) }

    /// A mark between two ids. Any would do; a random one also tells two listings of the same ids apart, to whoever has rows of
    /// one that somebody has cleared meanwhile and made again.
    static func mark(from id: Int64, below next: Int64) -> Int64 { Int64.random(in: id..<max(next, id + 1)) }

    // MARK: Clearing it

    /// What is in the listing counts no more. Its rows go when it is made again.
    func dropListing() throws(SQLiteError) { try setMark(IndexSQL.setListedTo, nil) }

    /// Takes rows of a listing away that counts no more.
    ///
    /// - Returns: whether there were as many as asked for, so that more may be left.
    func clearListing(limit: Int) throws(SQLiteError) -> Bool {
        // Somebody may have begun to make it again.
        guard try listingState() == .unlisted(after: nil) else { return false }
        let tables = ListingColumn.allCases.map(\.clearing)
        for sql in [IndexSQL.clearListing] + tables + [IndexSQL.clearUnlisted, IndexSQL.clearNames] {
            try run(sql, Int64(limit))
            if connection.changes == limit { return true }
        }
        return false
    }

    private func setMark(_ sql: StaticString, _ id: Int64?) throws(SQLiteError) {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            _ = try statement.step()
        }
    }

    // MARK: Keeping it up to date

    /// Whether making the listing anew is less work than making the rows anew of what has changed: those are all over the
    /// tables, and each writes a page of each of them.
    ///
    /// - Parameter few: changes that are never too many.
    func isFarBehind(beyond few: Int) throws(SQLiteError) -> Bool {
        let changes = try connection.integer(IndexSQL.countUnlisted) ?? 0
        return changes > max(Int64(few), try totals().entries / 8)
    }

    /// Makes rows anew of entries that have changed, so many at most.
    func relist(limit: Int) throws(SQLiteError) -> Int {
        guard try listingState() == .behind else { return 0 }
        let changes = try unlisted(limit: limit)
        var old: [ListedEntry] = []
        var new: [ListedEntry] = []
        for (id, key) in changes {
            let entry = try listable(id)
            if let row = try unlist(id, key: key ?? entry?.key) { old.append(row) }
            if let entry { new.append(try list(entry)) }
            try run(IndexSQL.listed, id)
        }
        for column in ListingColumn.allCases {
            for row in column.sorted(old) { try change(column.deletion, column, row) }
            try sort(column.sorted(new), by: column)
        }
        for name in Set(old.flatMap { [$0.host, $0.processor].compactMap(\.self) }) {
            try run(IndexSQL.dropUnusedName, name)
        }
        return changes.count
    }

    /// Entries that have changed, and the keys under which they are listed where these are others now.
    func unlisted(limit: Int) throws(SQLiteError) -> [(id: Int64, key: String?)] {
        try connection.with(IndexSQL.unlisted) { (statement) throws(SQLiteError) in
            statement.bind(Int64(limit), at: 1)
            var changes: [(id: Int64, key: String?)] = []
            while try statement.step() { changes.append((statement.integer(at: 0), statement.optionalText(at: 1))) }
            return changes
        }
    }

    /// - Returns: the row as it was; nil where the entry had none.
    private func unlist(_ id: Int64, key: String?) throws(SQLiteError) -> ListedEntry? {
        try connection.with(IndexSQL.unlist) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            return try statement.step() ? ListedEntry(statement, key: key) : nil
        }
    }

    private func change(_ sql: StaticString, _ column: ListingColumn, _ row: ListedEntry) throws(SQLiteError) {
        let value = column.value(of: row)
        if value == nil, column != .key { return }
        try connection.with(sql) { (statement) throws(SQLiteError) in
            if column == .key { try statement.bind(row.key, at: 1) } else { statement.bind(value, at: 1) }
            statement.bind(row.id, at: 2)
            _ = try statement.step()
        }
    }

    // MARK: One entry

    /// What the index says of an entry that is to be listed.
    private struct Listable {
        let id: Int64
        let source: Int64?
        let size: Int64
        let createdAt: Int64
        let isLasting: Bool
        let key: String?
        let baseLength: Int?

        init(_ statement: Statement) {
            id = statement.integer(at: 0)
            source = statement.optionalInteger(at: 1)
            size = statement.integer(at: 2)
            createdAt = statement.integer(at: 3)
            isLasting = statement.integer(at: 4) != 0
            key = statement.optionalText(at: 5)
            baseLength = statement.isNull(at: 6) ? nil : Int(clamping: statement.quantity(at: 6))
        }

        /// The key taken apart, where somebody has said how.
        private var parts: (base: String, processor: String)? {
            key.flatMap { key in baseLength.flatMap { KeyOrigin.parts(of: key, baseLength: $0) } }
        }

        var processor: String? { parts?.processor }
        /// The image's: an identifier behind an address without a path is no host.
        var host: String? { (parts?.base ?? key).flatMap(KeyOrigin.host(ofKey:)) }
    }

    private func listable(after id: Int64, limit: Int) throws(SQLiteError) -> [Listable] {
        try connection.with(IndexSQL.listable) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            statement.bind(Int64(limit), at: 2)
            var entries: [Listable] = []
            while try statement.step() { entries.append(Listable(statement)) }
            return entries
        }
    }

    private func listable(_ id: Int64) throws(SQLiteError) -> Listable? {
        try connection.with(IndexSQL.listableEntry) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            return try statement.step() ? Listable(statement) : nil
        }
    }

    /// Makes the row of an entry that has none.
    private func list(_ entry: Listable) throws(SQLiteError) -> ListedEntry {
        let row = ListedEntry(
            id: entry.id, source: entry.source, host: try note(entry.host),
            processor: try note(entry.processor), size: entry.size, createdAt: entry.createdAt, key: entry.key ?? "")
        try connection.with(IndexSQL.list) { (statement) throws(SQLiteError) in
            let values = [row.id, row.source, row.host, row.processor, row.size, row.createdAt]
            for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
            statement.bind(entry.isLasting ? 1 : nil, at: 7)
            _ = try statement.step()
        }
        return row
    }

    // MARK: Names

    func id(ofName name: String) throws(SQLiteError) -> Int64? {
        try connection.with(IndexSQL.nameID) { (statement) throws(SQLiteError) in
            try statement.bind(name, at: 1)
            return try statement.step() ? statement.integer(at: 0) : nil
        }
    }

    private func note(_ name: String?) throws(SQLiteError) -> Int64? {
        guard let name else { return nil }
        if let id = try id(ofName: name) { return id }
        try connection.with(IndexSQL.addName) { (statement) throws(SQLiteError) in
            try statement.bind(name, at: 1)
            _ = try statement.step()
        }
        return try id(ofName: name)
    }
}

/// A row of the listing, and the key under which it is listed.
struct ListedEntry: Sendable {
    let id: Int64
    let source: Int64?
    let host: Int64?
    let processor: Int64?
    let size: Int64
    let createdAt: Int64
    let key: String
}

extension ListedEntry {
    fileprivate init(_ statement: Statement, key: String?) {
        self.init(
            id: statement.integer(at: 0), source: statement.optionalInteger(at: 1),
            host: statement.optionalInteger(at: 2), processor: statement.optionalInteger(at: 3),
            size: statement.integer(at: 4), createdAt: statement.integer(at: 5), key: key ?? "")
    }
}

/// The tables behind the listing.
enum ListingColumn: CaseIterable {
    case size, created, source, host, processor, key

    /// nil: the row is not in this table.
    func value(of row: ListedEntry) -> Int64? {
        switch self {
        case .size: row.size
        case .created: row.createdAt
        case .source: row.source
        case .host: row.host
        case .processor: row.processor
        case .key: nil
        }
    }

    /// In the order of the table, so that neighbours are on one page.
    func sorted(_ rows: [ListedEntry]) -> [ListedEntry] {
        rows.sorted { left, right in
            if self == .key { return left.key.utf8.lexicographicallyPrecedes(right.key.utf8) }
            return (value(of: left) ?? .min, left.id) < (value(of: right) ?? .min, right.id)
        }
    }

    fileprivate var insertion: StaticString {
        switch self {
        case .size: IndexSQL.sortBySize
        case .created: IndexSQL.sortByCreation
        case .source: IndexSQL.sortBySource
        case .host: IndexSQL.sortByHost
        case .processor: IndexSQL.sortByProcessor
        case .key: IndexSQL.sortByKey
        }
    }

    fileprivate var deletion: StaticString {
        switch self {
        case .size: IndexSQL.unsortBySize
        case .created: IndexSQL.unsortByCreation
        case .source: IndexSQL.unsortBySource
        case .host: IndexSQL.unsortByHost
        case .processor: IndexSQL.unsortByProcessor
        case .key: IndexSQL.unsortByKey
        }
    }

    fileprivate var clearing: StaticString {
        switch self {
        case .size: IndexSQL.clearBySize
        case .created: IndexSQL.clearByCreation
        case .source: IndexSQL.clearBySource
        case .host: IndexSQL.clearByHost
        case .processor: IndexSQL.clearByProcessor
        case .key: IndexSQL.clearByKey
        }
    }
}
