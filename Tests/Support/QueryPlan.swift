package import HalcyonSQLite

extension Connection {
    /// The lines of `EXPLAIN QUERY PLAN` for a statement.
    package func queryPlan(of sql: StaticString) throws -> [String] { try queryPlan(of: [sql]) }

    /// Like ``queryPlan(of:)``, for a statement that is composed at run time.
    package func queryPlan(of parts: [StaticString]) throws -> [String] {
        try with(joining: ["EXPLAIN QUERY PLAN "] + parts) { statement in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(at: 3)) }
            // Later versions of SQLite create a filter in front of a subquery, and have another word for the last part of an order.
            return lines.filter { $0 != "CREATE BLOOM FILTER" }.map {
                $0 == "USE TEMP B-TREE FOR LAST TERM OF ORDER BY" ? "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY" : $0
            }
        }
    }
}
