package import HalcyonSQLite

extension Connection {
    /// What `EXPLAIN QUERY PLAN` says of a statement, line by line.
    package func queryPlan(of sql: StaticString) throws -> [String] { try queryPlan(of: [sql]) }

    /// As ``queryPlan(of:)``, of one that is put together.
    package func queryPlan(of parts: [StaticString]) throws -> [String] {
        try with(joining: ["EXPLAIN QUERY PLAN "] + parts) { statement in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(at: 3)) }
            return lines
        }
    }
}
