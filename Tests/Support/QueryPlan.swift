package import HalcyonSQLite

extension Connection {
    /// What `EXPLAIN QUERY PLAN` says of a statement, line by line.
    package func queryPlan(of sql: StaticString) throws -> [String] {
        try with(joining: ["EXPLAIN QUERY PLAN ", sql]) { statement in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(at: 3)) }
            return lines
        }
    }
}
