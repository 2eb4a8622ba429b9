/// One way to lay out the index.
///
/// Only what differs between candidates is a property; the SQL follows from it.
struct Candidate {
    enum Identity: String { case id, name }

    let letter: String
    let summary: String
    var identity = Identity.id
    var nameIsText = false
    var withoutRowID = false
    var lruColumns = "pinned, accessed_at, size"
    var lruCondition = ""
    /// The order of eviction.
    ///
    /// Columns that the index ends with anyway cost nothing as a tie-breaker.
    var order = "accessed_at, size, id"
    var expiryCondition: String? = "expires_at IS NOT NULL"
    var expirySelection = "expires_at IS NOT NULL AND expires_at <= ?1"
    var usesTriggers = true
    var autoVacuum = "NONE"
    var pageSize = 4_096
    /// Where the statement journal of a large batch goes once it outgrows 64 KiB.
    var temporaryStore = "DEFAULT"
    /// A constraint on a column that a trigger updates makes every statement that fires it keep a statement journal.
    var constrainsTotals = true
}

extension Candidate {
    static let all: [Candidate] = [
        Candidate(
            letter: "A", summary: "text primary key, rowid table", identity: .name, nameIsText: true,
            order: "accessed_at, size, rowid"),
        Candidate(
            letter: "B", summary: "text primary key, WITHOUT ROWID", identity: .name, nameIsText: true,
            withoutRowID: true, order: "accessed_at, size, name"),
        Candidate(
            letter: "C", summary: "integer key, name as text, LRU (pinned, accessed_at, id, size)", nameIsText: true,
            lruColumns: "pinned, accessed_at, id, size", order: "accessed_at, id"),
        Candidate(
            letter: "D", summary: "C with the name as a 32-byte blob",
            lruColumns: "pinned, accessed_at, id, size", order: "accessed_at, id"),
        Candidate(letter: "E", summary: "D with LRU (pinned, accessed_at, size), ties by size, id"),
        Candidate(
            letter: "F", summary: "E with partial LRU (accessed_at, size) and expiry, both WHERE pinned = 0",
            lruColumns: "accessed_at, size", lruCondition: "WHERE pinned = 0",
            expiryCondition: "pinned = 0 AND expires_at IS NOT NULL",
            expirySelection: "pinned = 0 AND expires_at IS NOT NULL AND expires_at <= ?1"),
        Candidate(letter: "G", summary: "E without the expiry index", expiryCondition: nil),
        Candidate(letter: "H", summary: "E without triggers, totals by statement", usesTriggers: false),
        Candidate(letter: "I", summary: "E with auto_vacuum=INCREMENTAL", autoVacuum: "INCREMENTAL"),
        Candidate(letter: "J", summary: "E with 1 KiB pages", pageSize: 1_024),
        Candidate(letter: "K", summary: "E with 8 KiB pages", pageSize: 8_192),
        Candidate(letter: "L", summary: "E with temp_store=MEMORY", temporaryStore: "MEMORY"),
        Candidate(letter: "M", summary: "E with no constraints on totals", constrainsTotals: false),
        Candidate(
            letter: "N", summary: "E with both L and M", temporaryStore: "MEMORY", constrainsTotals: false),
        Candidate(
            letter: "O", summary: "N with 2 KiB pages", pageSize: 2_048, temporaryStore: "MEMORY",
            constrainsTotals: false),
        Candidate(
            letter: "P", summary: "N with 1 KiB pages", pageSize: 1_024, temporaryStore: "MEMORY",
            constrainsTotals: false),
    ]

    /// The name in the form this candidate stores it.
    func name(of entry: Entry) -> [UInt8] { nameIsText ? entry.hexadecimal : entry.hash }
}
