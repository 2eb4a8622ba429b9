import Foundation

/// The outcomes as Markdown.
struct Report {
    let rows: Int
    let rounds: Int
    let outcomes: [Outcome]

    var markdown: String {
        ([heading, sizes] + groups.map(table) + [spreads]).joined(separator: "\n\n") + "\n"
    }

    /// Once for all numbers of rows: without ANALYZE, which the library does not run, a plan does not depend on them.
    var plans: String {
        (outcomes.first?.plans.map(\.statement) ?? []).enumerated().map { position, statement in
            let byPlan = Dictionary(grouping: outcomes) { $0.plans[position].lines.joined(separator: "\n") }
            let texts = byPlan.map { plan, owners in
                (owners.map(\.candidate.letter).joined(separator: ", "), plan)
            }
            return texts.sorted { $0.0 < $1.0 }.map { "Plan of \(statement), \($0.0):\n\n```\n\($0.1)\n```" }
                .joined(separator: "\n\n")
        }.joined(separator: "\n\n") + "\n"
    }

    /// One table for all measures would be too wide to read.
    private var groups: [[Measure]] {
        [
            [.storeNew, .overwrite, .hit, .miss, .touch, .extend],
            [.smallEviction, .halfEviction, .worstBatch, .expire, .expireNothing, .checkpoint],
        ]
    }

    private var heading: String { "## \(grouped(rows)) rows, \(rounds) rounds" }

    private var sizes: String {
        let lines = outcomes.map { outcome in
            let wal = outcome.samples[.walBytes]?.median ?? .nan
            let cells = [outcome.size.filled, outcome.size.touched, wal].map { grouped(Int($0.rounded())) }
            return row([outcome.candidate.letter, outcome.candidate.summary] + cells)
        }
        let head = ["", "candidate", "bytes/entry filled", "bytes/entry touched", "WAL bytes per new store"]
        return ([row(head), rule(head.count)] + lines).joined(separator: "\n")
    }

    private func table(of measures: [Measure]) -> String {
        let lines = outcomes.map { outcome in
            row([outcome.candidate.letter] + measures.map { cell(outcome.samples[$0]) })
        }
        let head = [""] + measures.map(\.rawValue)
        return (["Microseconds, median / p99:", "", row(head), rule(head.count)] + lines).joined(separator: "\n")
    }

    private func cell(_ samples: Samples?) -> String {
        guard let samples, !samples.median.isNaN else { return "" }
        let median = figure(samples.median)
        return samples.rounds[0].count < 5 ? median : "\(median) / \(figure(samples.p99))"
    }

    /// The noise: smaller differences than this mean nothing.
    private var spreads: String {
        let parts = groups.joined().map { measure in
            let all = outcomes.compactMap { $0.samples[measure]?.spread }.sorted()
            return "\(measure.rawValue) ×\(String(format: "%.2f", all.isEmpty ? .nan : all[all.count / 2]))"
        }
        return "Slowest round over fastest round of the same candidate, median of the candidates: "
            + parts.joined(separator: "; ") + "."
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func rule(_ columns: Int) -> String { "|" + String(repeating: "---|", count: columns) }

    private func figure(_ value: Double) -> String {
        value < 100 ? String(format: "%.1f", value) : grouped(Int(value.rounded()))
    }

    /// Thousands apart by a space, whatever the locale.
    private func grouped(_ value: Int) -> String {
        value < 1_000 ? "\(value)" : grouped(value / 1_000) + " " + String(format: "%03d", value % 1_000)
    }
}
