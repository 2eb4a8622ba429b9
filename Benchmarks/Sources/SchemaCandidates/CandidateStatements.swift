/// The statements that are timed. Parameters have the same numbers in every candidate, so one caller serves them all;
/// a candidate without an id simply never mentions `?1`.
extension Candidate {
    var upsert: String {
        let columns = [
            "key", "token", "inode", "size", "created_at", "accessed_at", "expires_at", "time_to_live", "pinned",
        ]
        let all = (identity == .id ? ["id", "name"] : ["name"]) + columns
        let first = identity == .id ? 1 : 2
        let values = (first..<first + all.count).map { "?\($0)" }.joined(separator: ", ")
        let changed = (identity == .id ? ["name"] : []) + columns
        return """
            INSERT INTO entries (\(all.joined(separator: ", "))) VALUES (\(values))
            ON CONFLICT (\(identity)) DO UPDATE SET \(changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }

    /// What a hit has to know; the name comes first because an id alone proves nothing.
    var lookup: String {
        "SELECT name, token, inode, size, accessed_at, expires_at, time_to_live FROM entries WHERE \(identityEquals)"
    }

    var touch: String {
        "UPDATE entries SET accessed_at = max(accessed_at, ?3) WHERE \(identityEquals) AND token = ?4"
    }

    /// A touch that also moves the expiration, which is what reads do by default.
    var extend: String {
        """
        UPDATE entries SET accessed_at = max(accessed_at, ?3), expires_at = ?3 + time_to_live \
        WHERE \(identityEquals) AND token = ?4
        """
    }

    /// The inner limit bounds the work of a batch; without it a small need would scan the whole table.
    var evict: String {
        """
        DELETE FROM entries WHERE \(identity) IN (
            SELECT \(identity) FROM (
                SELECT \(identity), SUM(size) OVER (ORDER BY \(order) ROWS UNBOUNDED PRECEDING) - size AS before
                FROM (SELECT \(victimColumns) FROM entries WHERE pinned = 0 ORDER BY \(order) LIMIT 128))
            WHERE before < ?1)
        RETURNING \(returned)
        """
    }

    var expire: String {
        """
        DELETE FROM entries WHERE \(identity) IN (
            SELECT \(identity) FROM entries WHERE \(expirySelection) LIMIT 128)
        RETURNING \(returned)
        """
    }

    /// For the candidate that keeps its totals by hand.
    var adjustTotals: String {
        "UPDATE totals SET entries = entries + ?1, bytes = bytes + ?2, last_store_at = max(last_store_at, ?3)"
    }

    private var identityEquals: String { identity == .id ? "id = ?1" : "name = ?2" }

    private var returned: String { identity == .id ? "id, name, token, size" : "name, token, size" }

    /// The tie-breaker has to come out of the inner query to be named in the outer one.
    private var victimColumns: String {
        order.hasSuffix("rowid") ? "rowid, name, accessed_at, size" : "\(identity), accessed_at, size"
    }
}
