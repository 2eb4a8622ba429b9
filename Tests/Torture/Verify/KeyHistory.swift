/// All that happened to one key: what changed it, and what was seen of it.
struct KeyHistory: Sendable {
    /// From before an operation began to after it ended, by the clock that all processes share.
    struct Span: Equatable, Sendable {
        let begin: Int64
        let end: Int64

        /// Before everything that is logged.
        static let before = Span(begin: .min, end: .min)
    }

    struct Change: Equatable, Sendable {
        enum Kind: Equatable, Sendable {
            /// - Parameter isLasting: false where the value may be gone at any time after.
            case store(StoreID, isLasting: Bool)
            case removal
        }

        let kind: Kind
        let span: Span
        /// False if it is unknown whether it happened: its process ended meanwhile, or it may have spared this key.
        var isCertain: Bool

        var store: StoreID? { if case .store(let store, _) = kind { store } else { nil } }
        /// After it the key may be without a value.
        var admitsMiss: Bool { if case .store(_, isLasting: true) = kind { false } else { true } }
    }

    struct Look: Equatable, Sendable {
        enum Result: Equatable, Sendable {
            case value(StoreID)
            /// Some value is there.
            case something
            case nothing
        }

        let result: Result
        let span: Span
        /// Who looked, for people.
        let by: String
    }

    var changes: [Change] = []
    var looks: [Look] = []
}
