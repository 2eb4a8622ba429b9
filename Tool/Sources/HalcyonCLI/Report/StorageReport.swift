internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// The distribution of a cache's entries over hosts, processors, ages, sizes and days.
package struct StorageReport: Equatable, Sendable {
    /// The name and totals of a group of entries; the name is nil if it is not known.
    package struct Group: Equatable, Sendable {
        package let name: String?
        package let totals: Totals

        package init(name: String?, totals: Totals) {
            self.name = name
            self.totals = totals
        }
    }

    /// The largest groups, and all other groups combined.
    package struct Ranking: Equatable, Sendable {
        package var largest: [Group] = []
        package var otherGroups: Int64 = 0
        package var others = Totals(entries: 0, bytes: 0)

        package init(largest: [Group] = [], otherGroups: Int64 = 0, others: Totals = Totals(entries: 0, bytes: 0)) {
            self.largest = largest
            self.otherGroups = otherGroups
            self.others = others
        }
    }

    /// What expires when, in the order of the days in the question.
    package struct Expirations: Equatable, Sendable {
        /// Already expired, removed by the next clean.
        package var expired = Totals(entries: 0, bytes: 0)
        package var days: [Totals]
        package var later = Totals(entries: 0, bytes: 0)
        /// Includes pinned entries.
        package var never = Totals(entries: 0, bytes: 0)

        package init(days: [Totals]) { self.days = days }
    }

    /// What a clean would evict now to keep the limits, besides what has expired.
    package struct Eviction: Equatable, Sendable {
        package var gone = Totals(entries: 0, bytes: 0)
        /// The last use of the most recently used entry that would be removed; nil also if one that remains was used earlier.
        package var usedUntil: Timestamp?

        package init(gone: Totals = Totals(entries: 0, bytes: 0), usedUntil: Timestamp? = nil) {
            self.gone = gone
            self.usedUntil = usedUntil
        }
    }

    package var totals = Totals(entries: 0, bytes: 0)
    /// Bytes allocated on the volume for the blobs.
    package var allocatedBytes: Int64 = 0
    package var pinned = Totals(entries: 0, bytes: 0)
    package var hosts = Ranking()
    package var processors = Ranking()
    /// By time since the last use, in the order of the steps.
    package var ages: [Totals] = []
    /// By size, in the order of the steps.
    package var sizes: [Totals] = []
    package var expirations = Expirations(days: [])
    /// nil if no limit is reached.
    package var eviction: Eviction?
    package var oldestAccess: Timestamp?
    package var newestAccess: Timestamp?

    package init() {}

    /// The parameters of the report.
    package struct Question: Sendable {
        package var now: Timestamp
        /// The number of groups listed by name.
        package var groups: Int
        /// Milliseconds since the last use at which the second, third … step begins.
        package var ages: [Int64]
        /// Bytes at which the second, third … step begins.
        package var sizes: [Int64]
        /// The last millisecond of each day.
        package var days: [Timestamp]
        package var limits: StorageLimits
    }
}
