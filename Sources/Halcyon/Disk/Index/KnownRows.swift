internal import HalcyonSQLite

/// A cache of the rows that this process has read or written within the last ten seconds.
///
/// A cached row can only answer "hit", and only if the file under its final name matches: before another process commits a
/// removal or an overwrite, it has moved that file. Code that changes files never uses this cache. If another process changes a
/// row without moving its file (an expiration, a pin), this process sees that when the cached row has timed out.
///
/// Its model is `Tests/Models/rows.py`.
final class KnownRows: Sendable {
    private let stripes: [Locked<Stripe>]
    /// Milliseconds after which a row times out.
    private let lifetime: Int

    /// The change count of a stripe before a row was read from the index.
    struct Ticket { fileprivate let changes: UInt64 }

    private struct Row {
        let entry: SharedEntry
        let end: MonotonicTime
    }

    /// Two generations: a full young one replaces the old one, whose rows are dropped unless they were looked up since.
    private struct Stripe {
        /// Counts possible changes to rows of this stripe.
        var changes: UInt64 = 0
        var young: [Int64: Row] = [:]
        var old: [Int64: Row] = [:]

        mutating func row(of name: BlobName) -> Row? {
            let young = young[name.rowID]
            guard let row = young ?? old[name.rowID], row.entry.value.name == name, MonotonicTime.now < row.end else {
                return nil
            }
            if young == nil { set(row) }
            return row
        }

        mutating func set(_ row: Row) {
            if young.count >= KnownRows.rowsOfGeneration { (old, young) = (young, [:]) }
            young[row.entry.value.id] = row
        }

        mutating func forget(_ id: Int64) {
            changes += 1
            (young[id], old[id]) = (nil, nil)
        }
    }

    private static let stripeCount = 16
    /// So at most 8,192 rows of some 600 bytes each, and of a longer key. See ``RecentNames/longestKey``.
    private static let rowsOfGeneration = 256

    init(lifetime: Int) {
        self.lifetime = lifetime
        stripes = (0..<Self.stripeCount).map { _ in Locked(Stripe()) }
    }

    /// The row of a name; nil if you must read it from the index. The ticket is for the row that you read instead.
    func look(_ name: BlobName) -> (entry: SharedEntry?, ticket: Ticket) {
        let (row, ticket) = stripe(of: name.rowID).withLock { ($0.row(of: name), Ticket(changes: $0.changes)) }
        return (row?.entry, ticket)
    }

    /// Adds a row that was read from the index, unless it may have changed since.
    func remember(_ entry: SharedEntry, readWith ticket: Ticket) {
        let row = Row(entry: entry, end: end)
        stripe(of: entry.value.id).withLock { if $0.changes == ticket.changes { $0.set(row) } }
    }

    /// Drops a row that the index contradicts.
    func forget(_ name: BlobName) { stripe(of: name.rowID).withLock { $0.forget(name.rowID) } }

    /// Drops the rows that a commit has written, and adds those it has stored. Needs the writer's lock, so that commits arrive in order.
    func didCommit(_ ids: [Int64], _ effects: IndexSession.Effects) {
        guard ids.count <= Self.rowsOfGeneration else { return forgetAll() }
        for id in ids { stripe(of: id).withLock { $0.forget(id) } }
        for entry in effects.stored {
            let row = Row(entry: entry, end: end)
            stripe(of: entry.value.id).withLock { $0.set(row) }
        }
    }

    /// Call it when the index is closed or replaced, or before its entries are removed.
    func forgetAll() {
        for stripe in stripes { stripe.withLock { $0 = Stripe(changes: $0.changes + 1) } }
    }

    var count: Int { stripes.reduce(0) { $0 + $1.withLock { Set($0.young.keys).union($0.old.keys).count } } }

    private var end: MonotonicTime { MonotonicTime.now.adding(milliseconds: lifetime) }

    private func stripe(of id: Int64) -> Locked<Stripe> {
        stripes[Int(truncatingIfNeeded: id) & (Self.stripeCount - 1)]
    }
}
