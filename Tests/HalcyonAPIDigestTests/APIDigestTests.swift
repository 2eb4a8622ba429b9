import Foundation
import HalcyonAPIDigest
import Testing

@Suite struct APIDigestTests {
    @Test func `members are listed below their type, in an order that does not depend on the sources`() throws {
        let symbols = [
            symbol("swift.func", "run()", "func run()"), symbol("swift.struct", "A", "struct A"),
            symbol("swift.struct", "A.B", "struct B"), symbol("swift.property", "A.B.x", "var x: Int"),
            symbol("swift.method", "A.go()", "func go()"), symbol("swift.init", "A.init()", "init()"),
            symbol("swift.method", "A.fly()", "@discardableResult func fly() -> Int"),
        ]
        let text = """
            public func run()

            public struct A
                public init()
                @discardableResult public func fly() -> Int
                public func go()

            public struct A.B
                public var x: Int

            """
        for first in symbols.indices {
            #expect(try digest(symbols[first...] + symbols[..<first]) == text)
        }
    }

    @Test func `overridable members are open, and attributes come first`() throws {
        let text = try digest([
            symbol("swift.class", "A", "@MainActor class A", access: "open"),
            symbol("swift.method", "A.a()", "@discardableResult func a() async throws(E) -> Int", access: "open"),
            symbol("swift.method", "A.b()", "func b()"),
        ])
        #expect(
            text == """
                @MainActor open class A
                    @discardableResult open func a() async throws(E) -> Int
                    public func b()

                """)
    }

    @Test func `cases and requirements are written as in the sources`() throws {
        let text = try digest(
            [
                symbol("swift.enum", "E", "enum E"), symbol("swift.enum.case", "E.a", "case a"),
                symbol("swift.protocol", "P", "protocol P : Sendable"), symbol("swift.method", "P.a()", "func a()"),
                symbol("swift.method", "P.b()", "func b()"),
            ],
            [relationship("requirementOf", "P.a()", "P"), relationship("conformsTo", "P", "Swift.Sendable")])
        #expect(
            text == """
                public enum E
                    case a

                public protocol P : Sendable
                    func a()
                    public func b()

                """)
    }

    @Test func `conformances come before conditions, and those that nearly every type has are omitted`() throws {
        let text = try digest(
            [
                symbol(
                    "swift.struct", "A", "struct A<T> where T : Sendable", generics: [("conformance", "T", "Sendable")]),
                symbol("swift.method", "A.a()", "func a()", extending: [("conformance", "T", "Sendable")]),
                symbol("swift.method", "A.b()", "func b()", extending: [("sameType", "T", "Int")]),
            ],
            [
                relationship("conformsTo", "A", "Swift.Sendable"), relationship("conformsTo", "A", "Swift.Copyable"),
                relationship("conformsTo", "A", "Swift.Hashable", [("conformance", "T", "Hashable")]),
                relationship("conformsTo", "A", "Foundation.LocalizedError"),
            ])
        #expect(
            text == """
                public struct A<T> : LocalizedError, Sendable where T : Sendable
                    extension A : Hashable where T : Hashable
                    public func a()
                    public func b() where T == Int

                """)
    }

    @Test func `types of other modules appear as extensions, and members that the compiler adds are omitted`() throws {
        let text = try digest(
            [
                symbol("swift.extension", "Data", "extension Data where Self : P"),
                symbol("swift.property", "Data.a", "var a: Int { get }"),
                symbol("swift.init", "Data.init(rawValue:)", "init?(rawValue: Int)", isWritten: false),
            ],
            [relationship("conformsTo", "Data", "Halcyon.Resource")])
        #expect(text == "extension Data : Resource\n    public var a: Int { get }\n")
    }
}

// MARK: Symbol graphs

private typealias Constraint = (kind: String, lhs: String, rhs: String)

/// By the same coding as the compiler's files.
private func digest(_ symbols: some Collection<[String: Any]>, _ relationships: [[String: Any]] = []) throws -> String {
    let graph: [String: Any] = ["symbols": Array(symbols), "relationships": relationships]
    let data = try JSONSerialization.data(withJSONObject: graph)
    return APIDigest([try JSONDecoder().decode(SymbolGraph.self, from: data)]).text
}

private func symbol(
    _ kind: String, _ path: String, _ declaration: String, access: String = "public", generics: [Constraint] = [],
    extending: [Constraint] = [], isWritten: Bool = true
) -> [String: Any] {
    let names = path.split(separator: ".").map(String.init)
    var symbol: [String: Any] = [
        "kind": ["identifier": kind], "identifier": ["precise": path], "pathComponents": names, "accessLevel": access,
        "declarationFragments": fragments(of: declaration, name: names.last ?? ""),
        "swiftGenerics": ["constraints": generics.map(json)], "swiftExtension": ["constraints": extending.map(json)],
    ]
    if isWritten { symbol["location"] = ["uri": "file:///A.swift"] }
    return symbol
}

/// A declaration in the compiler's pieces, as far as a digest tells them apart.
private func fragments(of declaration: String, name: String) -> [[String: String]] {
    var words = declaration.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let attributes = words.prefix { $0.hasPrefix("@") }
    words.removeFirst(attributes.count)
    let keyword = words.removeFirst()
    return attributes.flatMap { [fragment("attribute", $0), fragment("text", " ")] } + [fragment("keyword", keyword)]
        + words.flatMap { word in
            let isName = word == name || word.hasPrefix("\(name)<")
            let rest = isName ? word.dropFirst(name.count) : word[...]
            return [fragment("text", " ")] + (isName ? [fragment("identifier", name)] : []) + [fragment("text", rest)]
        }
}

private func fragment(_ kind: String, _ spelling: some StringProtocol) -> [String: String] {
    ["kind": kind, "spelling": String(spelling)]
}

private func relationship(
    _ kind: String, _ source: String, _ target: String, _ constraints: [Constraint] = []
) -> [String: Any] {
    [
        "kind": kind, "source": source, "target": target, "targetFallback": target,
        "swiftConstraints": constraints.map(json),
    ]
}

private func json(_ constraint: Constraint) -> [String: String] {
    ["kind": constraint.kind, "lhs": constraint.lhs, "rhs": constraint.rhs]
}
