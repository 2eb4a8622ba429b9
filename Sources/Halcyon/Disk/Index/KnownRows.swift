internal import HalcyonSQLite

/// Rows that this process has read or written within the last ten seconds.
///
/// A row from here answers "hit" and nothing else, and only together with the file under the final name: whatever another process commits,
/// a removal or an overwrite has moved that file before. Nothing that changes files asks here. What another process changes of a row
/// without moving its file (an expiration, a pin) is seen when the row is no longer believed.
///
/// The model is in `Tests/Models/rows.py`.
final class KnownRows: Sendable {
    private let stripes: [Locked<Stripe>]
    /// Milliseconds for which a row is believed.
    private let lifetime: Int

    /// What a reader saw before it read a row from the index.
    struct Ticket { fileprivate let changes: UInt64 }

    private struct Row {
        let entry: Entry
        let end: MonotonicTime
    }

    /// Two generations: rows that nobody asks for while as many others are noted are forgotten.
    private struct Stripe {
        /// Counts the changes that somebody may have made of a row of this stripe.
        var changes: UInt64 = 0
        var young: [Int64: Row] = [:]
        var old: [Int64: Row] = [:]

        mutating func set(_ row: Row) {
            if young.count >= KnownRows.rowsOfGeneration { (old, young) = (young, [:]) }
            young[row.entry.id] = row
        }

        mutating func forget(_ id: Int64) {
            changes += 1
            young[id] = nil
            old[id] = nil
        }
    }

    private static let stripeCount = 16
    /// So 8 192 rows at most, some 400 bytes each.
    private static let rowsOfGeneration = 256

    init(lifetime: Int) {
        self.lifetime = lifetime
        stripes = (0..<Self.stripeCount).map { _ in Locked(Stripe()) }
    }

    /// The row of a name; nil where it has to be read from the index.
    func entry(of name: BlobName) -> Entry? {
        stripe(of: name.rowID).withLock { stripe in
            guard let row = stripe.young[name.rowID] ?? stripe.old[name.rowID], row.entry.name == name else {
                return nil
            }
            guard MonotonicTime.now < row.end else { return nil }
            if stripe.young[name.rowID] == nil { stripe.set(row) }
            return row.entry
        }
    }

    /// Taken before a row is read.
    func ticket(for name: BlobName) -> Ticket { Ticket(changes: stripe(of: name.rowID).withLock { $0.changes }) }

    /// Notes a row that was read from the index, unless it may have changed since.
    func remember(_ entry: Entry, readWith ticket: Ticket) {
        let row = Row(entry: entry, end: end)
        stripe(of: entry.id).withLock { if $0.changes == ticket.changes { $0.set(row) } }
    }

    /// Notes rows that were just committed. Under the writer's lock: the next commit's rows come after these.
    func didCommit(_ ids: [Int64], stored: [Entry]) {
        guard ids.count <= Self.rowsOfGeneration else { return forgetAll() }
        for id in ids { stripe(of: id).withLock { $0.forget(id) } }
        for entry in stored {
            let row = Row(entry: entry, end: end)
            stripe(of: entry.id).withLock { $0.set(row) }
        }
    }

    /// Another index, or one whose entries are about to go.
    func forgetAll() {
        for stripe in stripes {
            stripe.withLock { stripe in
                stripe.changes += 1
                (stripe.young, stripe.old) = ([:], [:])
            }
        }
    }

    var count: Int { stripes.reduce(0) { $0 + $1.withLock { Set($0.young.keys).union($0.old.keys).count } } }

    private var end: MonotonicTime { MonotonicTime.now.adding(milliseconds: lifetime) }

    private func stripe(of id: Int64) -> Locked<Stripe> {
        stripes[Int(truncatingIfNeeded: id) & (Self.stripeCount - 1)]
    }
}
