/// The history of one key: its changes and its lookups.
struct KeyHistory: Sendable {
    /// From before an operation began to after it ended, by the clock that all processes share.
    struct Span: Equatable, Sendable {
        let begin: Int64
        let end: Int64

        /// Before all logged operations.
        static let before = Span(begin: .min, end: .min)
    }

    struct Change: Equatable, Sendable {
        enum Kind: Equatable, Sendable {
            /// - Parameter isLasting: false if the value may expire at any time after.
            case store(StoreID, isLasting: Bool)
            case removal
        }

        let kind: Kind
        let span: Span
        /// False if it is unknown whether it took effect: its process ended during it, or it may have skipped this key.
        var isCertain: Bool

        var store: StoreID? { if case .store(let store, _) = kind { store } else { nil } }
        /// The key may have no value afterwards.
        var admitsMiss: Bool { if case .store(_, isLasting: true) = kind { false } else { true } }
    }

    struct Look: Equatable, Sendable {
        enum Result: Equatable, Sendable {
            case value(StoreID)
            /// Any value exists.
            case something
            case nothing
        }

        let result: Result
        let span: Span
        /// The process that looked it up, for reports.
        let by: String
    }

    var changes: [Change] = []
    var looks: [Look] = []
}
