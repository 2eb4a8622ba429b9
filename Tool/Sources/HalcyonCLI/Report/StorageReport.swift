internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// How the entries of a cache are spread over hosts, processors, ages, sizes and days.
package struct StorageReport: Equatable, Sendable {
    /// Entries that have something in common, and its name; nil where that is not known.
    package struct Group: Equatable, Sendable {
        package let name: String?
        package let totals: Totals

        package init(name: String?, totals: Totals) {
            self.name = name
            self.totals = totals
        }
    }

    /// The largest groups, and the rest of them together.
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

    /// What goes when, in the order of the days that were asked for.
    package struct Expirations: Equatable, Sendable {
        /// Only waiting for the next clean.
        package var expired = Totals(entries: 0, bytes: 0)
        package var days: [Totals]
        package var later = Totals(entries: 0, bytes: 0)
        /// The pinned ones among them.
        package var never = Totals(entries: 0, bytes: 0)

        package init(days: [Totals]) { self.days = days }
    }

    /// What keeping the limits now would take.
    package struct Eviction: Equatable, Sendable {
        package var gone = Totals(entries: 0, bytes: 0)
        /// When the latest of those that go was used last.
        package var usedUntil: Timestamp?

        package init(gone: Totals = Totals(entries: 0, bytes: 0), usedUntil: Timestamp? = nil) {
            self.gone = gone
            self.usedUntil = usedUntil
        }
    }

    package var totals = Totals(entries: 0, bytes: 0)
    /// Bytes that the volume has set aside for the blobs.
    package var allocatedBytes: Int64 = 0
    package var pinned = Totals(entries: 0, bytes: 0)
    package var hosts = Ranking()
    package var processors = Ranking()
    /// By time since the last use, in the order of the steps.
    package var ages: [Totals] = []
    /// By size, in the order of the steps.
    package var sizes: [Totals] = []
    package var expirations = Expirations(days: [])
    /// nil while no limit is reached.
    package var eviction: Eviction?
    package var oldestAccess: Timestamp?
    package var newestAccess: Timestamp?

    package init() {}

    /// What is to be found out.
    package struct Question: Sendable {
        package var now: Timestamp
        /// Groups that are named.
        package var groups: Int
        /// Milliseconds since the last use at which the second, third … step begin.
        package var ages: [Int64]
        /// Bytes at which the second, third … step begin.
        package var sizes: [Int64]
        /// The last millisecond of each day.
        package var days: [Timestamp]
        package var limits: StorageLimits
    }
}
