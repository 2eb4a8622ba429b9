/// The parts of the compiler's output (`swift symbolgraph-extract`) that a digest needs.
package struct SymbolGraph: Decodable {
    package var symbols: [Symbol]
    package var relationships: [Relationship]

    package struct Symbol: Decodable {
        package var kind: Kind
        package var identifier: Identifier
        /// The names of the enclosing types, and its own.
        package var pathComponents: [String]
        package var accessLevel: String
        package var declarationFragments: [Fragment]
        package var swiftGenerics: Generics?
        package var swiftExtension: Generics?
        /// Missing if the compiler has synthesized the declaration, for example the `init(rawValue:)` of an enum.
        package var location: Location?
    }

    package struct Kind: Decodable {
        package var identifier: String
    }

    package struct Identifier: Decodable {
        package var precise: String
    }

    /// A word of a declaration, or the text between two words.
    package struct Fragment: Decodable {
        package var kind: String
        package var spelling: String
    }

    package struct Generics: Decodable {
        package var constraints: [Constraint]?
    }

    package struct Constraint: Decodable, Hashable {
        package var kind: String
        package var lhs: String
        package var rhs: String
    }

    package struct Location: Decodable {}

    package struct Relationship: Decodable {
        package var kind: String
        package var source: String
        package var target: String
        /// The target's name, with its module if that is another one.
        package var targetFallback: String?
        package var swiftConstraints: [Constraint]?
    }
}
