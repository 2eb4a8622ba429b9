/// Something that a cache must never do, and did.
struct Violation: Equatable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
        case lost = "an acknowledged value is missing"
        case resurrected = "a replaced or removed value came back"
        case invented = "a value that no process had stored under this key by then"
        case wrong = "wrong bytes"
        case failed = "an operation failed"
        case complaint = "an unexpected warning"
        case disagreement = "two answers about one entry differ"
        case unsound = "index and files disagree"
        case unfinished = "a process ended unexpectedly"
        case grown = "a resource grows"
    }

    let kind: Kind
    /// The observations behind it.
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
