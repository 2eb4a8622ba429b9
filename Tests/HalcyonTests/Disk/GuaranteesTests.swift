import Foundation
import Testing

/// The page of guarantees names the tests that prove them.
@Suite struct GuaranteesTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `every test and program that the page names exists`() throws {
        let page = try text("Sources/Halcyon/Documentation.docc/Guarantees.md")
        let names = Set(page.split(separator: "`").map(String.init))
        let suites = names.filter { $0.hasSuffix("Tests") && !$0.contains(" ") }
        let programs = names.filter { $0.hasPrefix("Scripts/") }
        #expect(suites.count > 20 && programs.count > 5)
        let declared = try declaredSuites()
        for suite in suites { #expect(declared.contains(suite)) }
        let commands = try text("Tests/Torture/TortureCommand.swift").lowercased()
        for program in programs {
            let words = program.split(separator: " ")
            let path = Self.package.appendingPathComponent(String(words[0])).path
            #expect(FileManager.default.isExecutableFile(atPath: path))
            if words.count > 1, words[0] == "Scripts/torture" { #expect(commands.contains("\(words[1]).self")) }
        }
    }

    @Test func `each promise names its test`() throws {
        let rows = try text("Sources/Halcyon/Documentation.docc/Guarantees.md").split(separator: "\n").filter {
            $0.hasPrefix("|") && !$0.hasPrefix("|---") && !$0.hasPrefix("| Promise")
        }
        for row in rows { #expect(row.split(separator: "|").last?.contains("`") == true) }
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.package.appendingPathComponent(path), encoding: .utf8)
    }

    private func declaredSuites() throws -> Set<String> {
        let files = try ["Tests", "Tool/Tests"].flatMap { folder in
            let path = Self.package.appendingPathComponent(folder).path
            return try FileManager.default.subpathsOfDirectory(atPath: path)
                .filter { $0.hasSuffix("Tests.swift") && !$0.contains("/.build") }.map { "\(folder)/\($0)" }
        }
        return try files.reduce(into: []) { suites, path in
            for line in try text(path).split(separator: "\n") {
                let words = line.split(whereSeparator: { " {".contains($0) })
                if let index = words.firstIndex(of: "struct"), index + 1 < words.count {
                    suites.insert(String(words[index + 1]))
                }
            }
        }
    }
}
