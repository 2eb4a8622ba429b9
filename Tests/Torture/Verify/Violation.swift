/// Something that a cache must never do, and did.
struct Violation: Equatable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
        case lost = "what was stored and acknowledged is not there"
        case resurrected = "a value is back that had been replaced or removed"
        case invented = "a value that nobody had stored under this key by then"
        case wrong = "wrong bytes"
        case failed = "an operation failed"
        case complaint = "a warning that nothing gives a reason for"
        case disagreement = "two answers about one entry differ"
        case unsound = "index and files do not fit together"
        case unfinished = "a process ended as it should not"
        case grown = "something grows"
    }

    let kind: Kind
    /// What was seen, for whom wants to know why.
    let details: [String]

    init(_ kind: Kind, _ details: String...) {
        self.kind = kind
        self.details = details
    }

    init(_ kind: Kind, details: [String]) {
        self.kind = kind
        self.details = details
    }

    var description: String { ([kind.rawValue] + details.map { "    \($0)" }).joined(separator: "\n") }
}
