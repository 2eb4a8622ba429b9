@_spi(HalcyonTool) internal import Halcyon

/// The figures for programs.
extension ReportFigures {
    package var object: JSON {
        .object([
            "name": .string(name), "madeAt": .string(DateText.iso8601(madeAt)),
            "entries": .integer(report.totals.entries),
            "bytes": .integer(report.totals.bytes), "allocatedBytes": .integer(report.allocatedBytes),
            "pinned": Self.object(of: report.pinned), "expired": Self.object(of: report.expirations.expired),
            "freeBytes": freeBytes.map { .integer($0) } ?? .null, "indexBytes": .integer(indexBytes),
            "logBytes": .integer(logBytes), "oldestAccess": Self.date(report.oldestAccess),
            "newestAccess": Self.date(report.newestAccess), "statistics": statistics, "limits": limitsObject,
            "hosts": Self.object(of: report.hosts), "processors": Self.object(of: report.processors),
            "ages": Self.steps(ReportSteps.ageLabels, report.ages),
            "sizes": Self.steps(ReportSteps.sizeLabels, report.sizes), "expirations": expirations,
            "evictedNext": .array(evictedNext.map(object)), "largest": .array(largest.map(object)),
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
            "hitRate": counts.hitRate.map { .decimal($0) } ?? .null, "stores": .integer(counts.stores),
            "evictions": .integer(counts.evictions), "expirations": .integer(counts.expirations),
            "removals": .integer(counts.removals), "bytesRead": .integer(counts.bytesRead),
            "bytesWritten": .integer(counts.bytesWritten),
        ])
    }

    private var limitsObject: JSON {
        func limit(_ number: Int64) -> JSON { number > 0 ? .integer(number) : .null }
        return .object([
            "bytes": limit(limits.bytes), "entries": limit(limits.entries),
            "eviction": report.eviction.map { eviction in
                .object([
                    "entries": .integer(eviction.gone.entries), "bytes": .integer(eviction.gone.bytes),
                    "usedUntil": Self.date(eviction.usedUntil),
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
                }), "otherGroups": .integer(ranking.otherGroups), "others": object(of: ranking.others),
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
    /// - Parameter showsKey: whether it has a member for the key.
    func object(showsKey: Bool) -> JSON {
        let (host, hash): (JSON, JSON) = (.string(label.host), .string(label.hash))
        let (size, hits, pinned): (JSON, JSON, JSON) = (.integer(size), .integer(hits), .bool(isPinned))
        let accessed = JSON.string(DateText.iso8601(lastAccess))
        let expires = JSON.string(expiration.map(DateText.iso8601))
        guard showsKey else {
            return .object([
                "host": host, "hash": hash, "size": size, "accessed": accessed, "expires": expires, "hits": hits,
                "pinned": pinned,
            ])
        }
        return .object([
            "key": .string(label.key), "host": host, "hash": hash, "size": size, "accessed": accessed,
            "expires": expires, "hits": hits, "pinned": pinned,
        ])
    }
}
