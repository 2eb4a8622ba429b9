@_spi(HalcyonTool) internal import Halcyon

/// The figures as JSON.
extension ReportFigures {
    package var object: JSON {
        .object([
            "name": .string(name), "made_at": .string(DateText.iso8601(madeAt)),
            "entries": .integer(report.totals.entries),
            "bytes": .integer(report.totals.bytes), "allocated_bytes": .integer(report.allocatedBytes),
            "pinned": Self.object(of: report.pinned), "expired": Self.object(of: report.expirations.expired),
            "free_bytes": freeBytes.map { .integer($0) } ?? .null, "index_bytes": .integer(indexBytes),
            "log_bytes": .integer(logBytes), "oldest_access": Self.date(report.oldestAccess),
            "newest_access": Self.date(report.newestAccess), "statistics": statistics, "limits": limitsObject,
            "hosts": Self.object(of: report.hosts), "processors": Self.object(of: report.processors),
            "ages": Self.steps(ReportSteps.ageLabels, report.ages),
            "sizes": Self.steps(ReportSteps.sizeLabels, report.sizes), "expirations": expirations,
            "evicted_next": .array(evictedNext.map(object)), "largest": .array(largest.map(object)),
            "latest": .array(latest.map(object)),
        ])
    }

    private static func object(of totals: Totals) -> JSON {
        .object(["entries": .integer(totals.entries), "bytes": .integer(totals.bytes)])
    }

    private static func date(_ time: Timestamp?) -> JSON { .string(time.map(DateText.iso8601)) }

    private var statistics: JSON {
        .object([
            "since": Self.date(countedSince), "hits": .integer(counts.hits), "misses": .integer(counts.misses),
            "hit_rate": counts.hitRate.map { .decimal($0) } ?? .null, "stores": .integer(counts.stores),
            "evictions": .integer(counts.evictions), "expirations": .integer(counts.expirations),
            "removals": .integer(counts.removals), "bytes_read": .integer(counts.bytesRead),
            "bytes_written": .integer(counts.bytesWritten),
        ])
    }

    private var limitsObject: JSON {
        func limit(_ number: Int64) -> JSON { number > 0 ? .integer(number) : .null }
        return .object([
            "bytes": limit(limits.bytes), "entries": limit(limits.entries),
            "eviction": report.eviction.map { eviction in
                .object([
                    "entries": .integer(eviction.gone.entries), "bytes": .integer(eviction.gone.bytes),
                    "used_until": Self.date(eviction.usedUntil),
                ])
            } ?? .null,
        ])
    }

    private static func object(of ranking: StorageReport.Ranking) -> JSON {
        .object([
            "largest": .array(
                ranking.largest.map { group in
                    .object([
                        "name": .string(group.name), "entries": .integer(group.totals.entries),
                        "bytes": .integer(group.totals.bytes),
                    ])
                }), "other_groups": .integer(ranking.otherGroups), "others": object(of: ranking.others),
        ])
    }

    private static func steps(_ labels: [StepLabel], _ totals: [Totals]) -> JSON {
        .array(
            zip(labels, totals).map { label, totals in
                .object([
                    "step": .string(label.words), "entries": .integer(totals.entries), "bytes": .integer(totals.bytes),
                ])
            })
    }

    private var expirations: JSON {
        let days = zip(ReportSteps.daysEnds(from: madeAt), report.expirations.days).map { end, totals in
            JSON.object([
                "day": .string(String(DateText.local(end).prefix(10))), "entries": .integer(totals.entries),
                "bytes": .integer(totals.bytes),
            ])
        }
        return .object([
            "expired": Self.object(of: report.expirations.expired), "days": .array(days),
            "later": Self.object(of: report.expirations.later), "never": Self.object(of: report.expirations.never),
        ])
    }

    private func object(of row: Row) -> JSON { row.object(showsKey: showsKeys) }
}

extension ReportFigures.Row {
    /// - Parameter showsKey: whether to include the key.
    func object(showsKey: Bool) -> JSON {
        .object([
            "key": showsKey ? .string(label.key) : .null, "host": .string(label.host), "file": .string(label.file),
            "hash": .string(label.hash), "size": .integer(size), "accessed": .string(DateText.iso8601(lastAccess)),
            "expires": .string(expiration.map(DateText.iso8601)), "hits": .integer(hits), "pinned": .bool(isPinned),
        ])
    }
}
