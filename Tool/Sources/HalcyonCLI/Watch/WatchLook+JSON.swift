@_spi(HalcyonTool) internal import Halcyon

/// A look as JSON.
extension WatchLook {
    private static let rows = 10

    /// All states have the same members.
    package func object(limit: Int64?, showsKeys: Bool) -> JSON {
        let totals = snapshot?.totals
        let entries: JSON = .optional(totals) { .integer($0.entries) }
        let bytes: JSON = .optional(totals) { .integer($0.bytes) }
        let allocated: JSON = .optional(snapshot) { .integer($0.allocatedBytes) }
        return .object([
            "at": .string(DateText.iso8601(at)), "state": .string(stateName), "reason": .string(reason),
            "entries": entries, "bytes": bytes, "allocated_bytes": allocated,
            "limit": .optional(limit) { .integer($0) }, "statistics": .optional(snapshot, statistics),
            "per_second": .optional(rates, Self.object), "hosts": .optional(snapshot) { _ in hostsArray },
            "evicted_next": .optional(snapshot) { rows($0.evictedNext, showsKeys) },
            "latest": .optional(snapshot) { rows($0.latest, showsKeys) },
        ])
    }

    private var snapshot: IndexSnapshot? { if case .seen(let snapshot) = state { snapshot } else { nil } }
    private var reason: String? { if case .unreadable(let reason) = state { reason } else { nil } }

    private var stateName: String {
        switch state {
        case .missing: "missing"
        case .unreadable: "unreadable"
        case .seen: "open"
        }
    }

    private func statistics(of snapshot: IndexSnapshot) -> JSON {
        let counts = snapshot.counts
        return .object([
            "since": .string(snapshot.since.map(DateText.iso8601)), "hits": .integer(counts.hits),
            "misses": .integer(counts.misses), "hit_rate": counts.hitRate.map { .decimal($0) } ?? .null,
            "stores": .integer(counts.stores), "evictions": .integer(counts.evictions),
            "expirations": .integer(counts.expirations), "removals": .integer(counts.removals),
        ])
    }

    private static func object(of rates: Rates) -> JSON {
        .object([
            "hits": .decimal(rates.hits), "misses": .decimal(rates.misses), "stores": .decimal(rates.stores),
            "evictions": .decimal(rates.evictions),
        ])
    }

    private var hostsArray: JSON {
        guard let hosts else { return .null }
        return .array(
            hosts.prefix(Self.rows).map { group in
                .object([
                    "name": .string(group.name), "entries": .integer(group.totals.entries),
                    "bytes": .integer(group.totals.bytes),
                ])
            })
    }

    private func rows(_ entries: [Entry], _ showsKeys: Bool) -> JSON {
        .array(
            entries.prefix(Self.rows).map { entry in
                let label = EntryLabel(key: entry.key, fileName: entry.name.text, showsKey: showsKeys)
                return .object([
                    "key": showsKeys ? .string(label.key) : .null, "host": .string(label.host),
                    "file": .string(label.file), "hash": .string(label.hash),
                    "size": .integer(entry.size), "accessed": .string(DateText.iso8601(entry.accessedAt)),
                ])
            })
    }
}
