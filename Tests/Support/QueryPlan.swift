package import HalcyonSQLite

extension Connection {
    /// The lines of `EXPLAIN QUERY PLAN` for a statement.
    package func queryPlan(of sql: StaticString) throws -> [String] { try queryPlan(of: [sql]) }

    /// Like ``queryPlan(of:)``, for a statement that is composed at run time.
    package func queryPlan(of parts: [StaticString]) throws -> [String] {
        try with(joining: ["EXPLAIN QUERY PLAN "] + parts) { statement in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(at: 3)) }
            return lines
        }
    }
}
