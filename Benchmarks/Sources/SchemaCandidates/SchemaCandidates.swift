import Foundation

/// Measures the candidates for the first schema of the index, before it is frozen.
///
///     swift run -c release SchemaCandidates --rows 100000,1000000 --output table.md
@main
struct SchemaCandidates {
    static func main() throws {
        let arguments = try Arguments(CommandLine.arguments.dropFirst())
        try FileManager.default.createDirectory(at: arguments.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: arguments.folder) }
        let reports = try arguments.rows.map { try report(on: $0, arguments) }
        let plans = reports.last.map { [$0.plans] } ?? []
        let text = (["SQLite \(sqliteVersion)\n"] + reports.map(\.markdown) + plans).joined(separator: "\n")
        print(text)
        try arguments.output.map { try text.write(to: $0, atomically: true, encoding: .utf8) }
    }

    private static func report(on rows: Int, _ arguments: Arguments) throws -> Report {
        let comparison = Comparison(
            rows: rows, rounds: arguments.rounds, candidates: arguments.candidates, folder: arguments.folder)
        return Report(rows: rows, rounds: arguments.rounds, outcomes: try comparison.run())
    }
}
