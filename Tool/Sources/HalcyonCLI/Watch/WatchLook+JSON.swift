@_spi(HalcyonTool) internal import Halcyon

/// A look for programs.
extension WatchLook {
    private static let rows = 10

    package func object(limit: Int64?, showsKeys: Bool) -> JSON {
        let time = JSON.string(DateText.iso8601(at))
        switch state {
        case .missing: return .object(["at": time, "state": .string("missing")])
        case .unreadable(let reason):
            return .object(["at": time, "state": .string("unreadable"), "reason": .string(reason)])
        case .seen(let snapshot):
            return .object([
                "at": time, "state": .string("open"), "entries": .integer(snapshot.totals.entries),
                "bytes": .integer(snapshot.totals.bytes), "allocatedBytes": .integer(snapshot.allocatedBytes),
                "limit": limit.map { .integer($0) } ?? .null, "statistics": statistics(of: snapshot),
                "perSecond": rates.map(Self.object) ?? .null, "hosts": hostsArray,
                "evictedNext": rows(snapshot.evictedNext, showsKeys), "latest": rows(snapshot.latest, showsKeys),
            ])
        }
    }

    private func statistics(of snapshot: IndexSnapshot) -> JSON {
        let counts = snapshot.counts
        return .object([
            "since": .string(snapshot.since.map(DateText.iso8601)), "hits": .integer(counts.hits),
            "misses": .integer(counts.misses), "hitRate": counts.hitRate.map { .decimal($0) } ?? .null,
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
                let (host, hash): (JSON, JSON) = (.string(label.host), .string(label.hash))
                let accessed = JSON.string(DateText.iso8601(entry.accessedAt))
                let size = JSON.integer(entry.size)
                return showsKeys
                    ? .object([
                        "key": .string(label.key), "host": host, "hash": hash, "size": size, "accessed": accessed,
                    ])
                    : .object(["host": host, "hash": hash, "size": size, "accessed": accessed])
            })
    }
}
