internal import HalcyonSQLite

/// The listing: entries by image, host, processor, size, age and key. Made for whoever asks first, and from then on a little
/// behind the entries.
extension IndexSession {
    /// How far the listing is.
    enum ListingState: Equatable {
        /// Nobody has asked for it yet, or it is being made.
        case incomplete
        /// Some entries have changed since.
        case behind
        case current
    }

    func listingState() throws(SQLiteError) -> ListingState {
        guard try connection.integer(IndexSQL.listedTo) == .max else { return .incomplete }
        return try unlisted(limit: 1).isEmpty ? .current : .behind
    }

    /// Makes rows for entries that have none, and makes rows anew of entries that have changed, so many at most.
    ///
    /// - Returns: how many.
    func list(limit: Int) throws(SQLiteError) -> Int {
        let listedTo = try connection.integer(IndexSQL.listedTo)
        guard listedTo != .max else { return try relist(limit: limit) }
        if listedTo == nil, try clearListing(limit: limit) { return limit }
        let entries = try listable(after: listedTo ?? .min, limit: limit)
        for entry in entries { try list(entry) }
        try setListedTo(entries.count < limit ? .max : entries.last?.id)
        return limit
    }

    /// What is in the listing counts no more. Its rows go when it is made again.
    func dropListing() throws(SQLiteError) { try setListedTo(nil) }

    /// Takes rows of a listing away that counts no more.
    ///
    /// - Returns: whether there were as many as asked for, so that more may be left.
    func clearListing(limit: Int) throws(SQLiteError) -> Bool {
        let statements = [
            IndexSQL.clearListing, IndexSQL.clearListedKeys, IndexSQL.clearUnlisted, IndexSQL.clearNames,
        ]
        for sql in statements {
            let count = try connection.with(sql) { (statement) throws(SQLiteError) in
                statement.bind(Int64(limit), at: 1)
                _ = try statement.step()
                return connection.changes
            }
            if count == limit { return true }
        }
        return false
    }

    func id(ofName name: String) throws(SQLiteError) -> Int64? {
        try connection.with(IndexSQL.nameID) { (statement) throws(SQLiteError) in
            try statement.bind(name, at: 1)
            return try statement.step() ? statement.integer(at: 0) : nil
        }
    }

    // MARK: One entry

    private struct Listable {
        let id: Int64
        let key: String?
        let source: Int64?
        let baseLength: Int?
        let size: Int64
        let createdAt: Int64
        let isLasting: Bool

        init(_ statement: Statement) {
            id = statement.integer(at: 0)
            key = statement.optionalText(at: 1)
            source = statement.optionalInteger(at: 2)
            baseLength = statement.optionalInteger(at: 3).flatMap { Int(exactly: $0) }.map { max(0, $0) }
            size = statement.integer(at: 4)
            createdAt = statement.integer(at: 5)
            isLasting = statement.integer(at: 6) != 0
        }

        var processor: String? {
            key.flatMap { key in baseLength.flatMap { KeyOrigin.parts(of: key, baseLength: $0)?.processor } }
        }
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

    private func list(_ entry: Listable) throws(SQLiteError) {
        let host = try entry.key.flatMap(KeyOrigin.host(ofKey:)).map { (name) throws(SQLiteError) in try note(name) }
        let processor = try entry.processor.map { (name) throws(SQLiteError) in try note(name) }
        try connection.with(IndexSQL.list) { (statement) throws(SQLiteError) in
            statement.bind(entry.id, at: 1)
            statement.bind(entry.source, at: 2)
            statement.bind(host, at: 3)
            statement.bind(processor, at: 4)
            statement.bind(entry.size, at: 5)
            statement.bind(entry.createdAt, at: 6)
            statement.bind(entry.isLasting ? 1 : nil, at: 7)
            _ = try statement.step()
        }
        try changeKey(IndexSQL.listKey, entry.key ?? "", entry.id)
    }

    private func note(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = try id(ofName: name) { return id }
        try connection.with(IndexSQL.addName) { (statement) throws(SQLiteError) in
            try statement.bind(name, at: 1)
            _ = try statement.step()
        }
        return try id(ofName: name) ?? Conditions.nobody
    }

    private func changeKey(_ sql: StaticString, _ key: String, _ id: Int64) throws(SQLiteError) {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            try statement.bind(key, at: 1)
            statement.bind(id, at: 2)
            _ = try statement.step()
        }
    }

    // MARK: What has changed

    private func unlisted(limit: Int) throws(SQLiteError) -> [(id: Int64, key: String?)] {
        try connection.with(IndexSQL.unlisted) { (statement) throws(SQLiteError) in
            statement.bind(Int64(limit), at: 1)
            var changes: [(id: Int64, key: String?)] = []
            while try statement.step() { changes.append((statement.integer(at: 0), statement.optionalText(at: 1))) }
            return changes
        }
    }

    private func relist(limit: Int) throws(SQLiteError) -> Int {
        let changes = try unlisted(limit: limit)
        var unused: Set<Int64> = []
        for (id, key) in changes {
            if let key { try changeKey(IndexSQL.unlistKey, key, id) }
            unused.formUnion(try unlist(id))
            if let entry = try listable(id) { try list(entry) }
            try run(IndexSQL.listed, id)
        }
        for name in unused { try run(IndexSQL.dropUnusedName, name) }
        return changes.count
    }

    /// - Returns: the names that its row had.
    private func unlist(_ id: Int64) throws(SQLiteError) -> [Int64] {
        try connection.with(IndexSQL.unlist) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            guard try statement.step() else { return [] }
            return [statement.optionalInteger(at: 0), statement.optionalInteger(at: 1)].compactMap(\.self)
        }
    }

    private func setListedTo(_ id: Int64?) throws(SQLiteError) {
        try connection.with(IndexSQL.setListedTo) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            _ = try statement.step()
        }
    }
}
