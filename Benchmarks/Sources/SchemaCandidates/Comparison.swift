import Foundation

/// Everything found out about one candidate at one number of rows.
struct Outcome {
    let candidate: Candidate
    let size: FileSize
    let plans: [(statement: String, lines: [String])]
    var samples: [Measure: Samples] = [:]
}

/// Fills all candidates, then measures them in turn, so that a slow minute of the machine hits all alike.
struct Comparison {
    let rows: Int
    let rounds: Int
    let candidates: [Candidate]
    let folder: URL

    func run() throws -> [Outcome] {
        var outcomes = try candidates.map(fill)
        for round in 0..<rounds {
            // Back and forth, so that none is always first.
            for position in round.isMultiple(of: 2) ? Array(outcomes.indices) : outcomes.indices.reversed() {
                try measure(&outcomes[position], round: round)
            }
        }
        return outcomes
    }

    private func fill(_ candidate: Candidate) throws -> Outcome {
        progress("\(rows) rows: filling \(candidate.letter)")
        let path = original(of: candidate).path
        let size = try Filling(candidate: candidate, rows: rows).make(at: path)
        let database = try Database(path: path)
        let statements = [("evict", candidate.evict), ("expire", candidate.expire), ("lookup", candidate.lookup)]
        let plans = try statements.map { (statement: $0.0, lines: try database.plan(of: $0.1)) }
        return Outcome(candidate: candidate, size: size, plans: plans)
    }

    private func measure(_ outcome: inout Outcome, round: Int) throws {
        progress("\(rows) rows: round \(round + 1), \(outcome.candidate.letter)")
        let place = folder.appendingPathComponent("round-\(rows)-\(outcome.candidate.letter)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let copy = place.appendingPathComponent("index.sqlite")
        try FileManager.default.copyItem(at: original(of: outcome.candidate), to: copy)
        try write(copy)
        try measure(&outcome, round: round, path: copy.path)
        try FileManager.default.removeItem(at: place)
    }

    private func measure(_ outcome: inout Outcome, round: Int, path: String) throws {
        var samples = outcome.samples
        let index = try Index(outcome.candidate, path: path)
        let round = Round(index: index, rows: rows, number: round) { measure, values in
            samples[measure, default: Samples()].add(values)
        }
        try round.run()
        outcome.samples = samples
    }

    /// Waits until the copy is on the disk, or the kernel would write it back under the clock.
    private func write(_ file: URL) throws {
        let handle = try FileHandle(forUpdating: file)
        try handle.synchronize()
        try handle.close()
    }

    private func original(of candidate: Candidate) -> URL {
        folder.appendingPathComponent("filled-\(rows)-\(candidate.letter).sqlite")
    }
}

/// Keeps stdout for the tables.
func progress(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
