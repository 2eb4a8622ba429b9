internal import Foundation

/// The public declarations of a module as text: one line each, below the type that they are members of, ordered by kind and name,
/// independent of their place in the sources.
///
/// Declarations that the compiler adds are omitted, and so are the conformances that nearly every type has.
package struct APIDigest {
    private typealias Symbol = SymbolGraph.Symbol
    private typealias Constraint = SymbolGraph.Constraint

    /// The type's own line, and those of its members.
    private struct Group {
        var headline: String?
        var members: [Line] = []
        var conformances: Set<String> = []
    }

    private struct Line {
        var kind = 0
        var name = ""
        var text: String
    }

    /// By the type's name; the module's own declarations have none.
    private var groups: [String: Group] = [:]
    private let symbols: [String: Symbol]
    private let requirements: Set<String>
    /// The types' own requirements on their parameters, by type name.
    private let ownConstraints: [String: [Constraint]]

    /// - Parameter graphs: those of the module, and of its extensions of other modules' types.
    package init(_ graphs: [SymbolGraph]) {
        let relationships = graphs.flatMap(\.relationships)
        symbols = Dictionary(graphs.flatMap(\.symbols).map { ($0.identifier.precise, $0) }) { first, _ in first }
        requirements = Set(relationships.filter { $0.kind == "requirementOf" }.map(\.source))
        ownConstraints = Dictionary(
            symbols.values.filter(\.isType).map { ($0.name, $0.swiftGenerics?.constraints ?? []) }
        ) { first, _ in first }
        symbols.values.forEach { add($0) }
        relationships.forEach { add($0) }
    }

    private mutating func add(_ symbol: Symbol) {
        if symbol.isExtension {
            groups[symbol.name, default: Group()].headline = "extension \(symbol.name)"
        } else if symbol.isType {
            groups[symbol.name, default: Group()].headline = text(of: symbol)
        } else if symbol.location != nil {
            let line = Line(kind: symbol.order, name: symbol.name, text: text(of: symbol))
            groups[symbol.container, default: Group()].members.append(line)
        }
    }

    private mutating func add(_ relationship: SymbolGraph.Relationship) {
        guard ["conformsTo", "inheritsFrom"].contains(relationship.kind), let type = symbols[relationship.source],
            type.kind.identifier != "swift.protocol", let name = name(ofTarget: relationship),
            !Self.impliedConformances.contains(name)
        else { return }
        let constraints = (relationship.swiftConstraints ?? []).filter { !Self.impliedConformances.contains($0.rhs) }
        if constraints.isEmpty {
            groups[type.name, default: Group()].conformances.insert(name)
        } else {
            let conformance = "extension \(type.name) : \(name)\(clause(of: constraints))"
            groups[type.name, default: Group()].members.append(Line(text: conformance))
        }
    }

    private static let impliedConformances: Set = ["BitwiseCopyable", "Copyable", "Escapable", "SendableMetatype"]

    private func name(ofTarget relationship: SymbolGraph.Relationship) -> String? {
        symbols[relationship.target]?.name
            ?? relationship.targetFallback.map { $0.split(separator: ".").dropFirst().joined(separator: ".") }
    }

    // MARK: A line

    /// As in the source: cases and a protocol's requirements have no access level. Members of only some specializations of a generic type
    /// state the condition.
    private func text(of symbol: Symbol) -> String {
        let isBare = symbol.kind.identifier == "swift.enum.case" || requirements.contains(symbol.identifier.precise)
        let declaration = symbol.declaration(accessLevel: isBare ? nil : symbol.accessLevel)
        guard !symbol.isType else { return declaration }
        let own = ownConstraints[symbol.container] ?? []
        return declaration + clause(of: (symbol.swiftExtension?.constraints ?? []).filter { !own.contains($0) })
    }

    private func clause(of constraints: [Constraint]) -> String {
        guard !constraints.isEmpty else { return "" }
        return " where "
            + constraints.map { "\($0.lhs) \($0.kind == "sameType" ? "==" : ":") \($0.rhs)" }.sorted()
            .joined(separator: ", ")
    }

    // MARK: All lines

    /// Grouped by type, with an empty line between two types.
    package var text: String {
        groups.sorted { $0.key < $1.key }.map { text(of: $0.value) }.joined(separator: "\n")
    }

    private func text(of group: Group) -> String {
        let members = group.members.sorted { ($0.kind, $0.name, $0.text) < ($1.kind, $1.name, $1.text) }.map(\.text)
        guard let headline = group.headline else { return members.map { "\($0)\n" }.joined() }
        return "\(headline.inheriting(group.conformances.sorted()))\n" + members.map { "    \($0)\n" }.joined()
    }
}

extension SymbolGraph.Symbol {
    fileprivate var name: String { pathComponents.joined(separator: ".") }
    fileprivate var container: String { pathComponents.dropLast().joined(separator: ".") }
    fileprivate var isExtension: Bool { kind.identifier == "swift.extension" }
    fileprivate var isType: Bool {
        ["swift.struct", "swift.class", "swift.enum", "swift.protocol"].contains(kind.identifier)
    }

    /// The position of its kind among the members of a type.
    fileprivate var order: Int {
        let kinds = ["enum.case", "associatedtype", "typealias", "type.property", "type.method", "init", "property"]
        return 1 + (kinds.firstIndex { "swift.\($0)" == kind.identifier } ?? kinds.count)
    }

    /// - Parameter accessLevel: is placed after the attributes.
    fileprivate func declaration(accessLevel: String?) -> String {
        var words = declarationFragments.map { $0.kind == "identifier" && isType ? name : $0.spelling }
        let start = declarationFragments.firstIndex { $0.kind == "keyword" } ?? 0
        if let accessLevel { words.insert("\(accessLevel) ", at: start) }
        return words.joined()
    }
}

extension String {
    /// The declaration of a type with its conformances, which precede the conditions.
    fileprivate func inheriting(_ names: [String]) -> String {
        guard !names.isEmpty else { return self }
        let end = range(of: " where ")?.lowerBound ?? endIndex
        return "\(self[..<end]) : \(names.joined(separator: ", "))\(self[end...])"
    }
}
