/// How the entries of a cache are spread over hosts, processors, ages, sizes and days, as of one moment.
@_spi(HalcyonTool) public struct StorageReport: Equatable, Sendable {
    /// Entries that have something in common, and its name; nil where that is not known.
    public struct Group: Equatable, Sendable {
        public let name: String?
        public let totals: Totals

        public init(name: String?, totals: Totals) {
            self.name = name
            self.totals = totals
        }
    }

    /// The largest groups, and the rest of them together.
    public struct Ranking: Equatable, Sendable {
        public var largest: [Group] = []
        public var otherGroups: Int64 = 0
        public var others = Totals(entries: 0, bytes: 0)

        public init(largest: [Group] = [], otherGroups: Int64 = 0, others: Totals = Totals(entries: 0, bytes: 0)) {
            self.largest = largest
            self.otherGroups = otherGroups
            self.others = others
        }
    }

    /// What goes when, in the order of the days that were asked for.
    public struct Expirations: Equatable, Sendable {
        /// Only waiting for the next clean.
        public var expired = Totals(entries: 0, bytes: 0)
        public var days: [Totals]
        public var later = Totals(entries: 0, bytes: 0)
        /// The pinned ones among them.
        public var never = Totals(entries: 0, bytes: 0)

        public init(days: [Totals]) { self.days = days }
    }

    /// What keeping the limits now would take.
    public struct Eviction: Equatable, Sendable {
        public var gone = Totals(entries: 0, bytes: 0)
        /// When the latest of those that go was used last.
        public var usedUntil: Timestamp?

        public init(gone: Totals = Totals(entries: 0, bytes: 0), usedUntil: Timestamp? = nil) {
            self.gone = gone
            self.usedUntil = usedUntil
        }
    }

    public var totals = Totals(entries: 0, bytes: 0)
    /// Bytes that the volume has set aside for the blobs.
    public var allocatedBytes: Int64 = 0
    public var pinned = Totals(entries: 0, bytes: 0)
    public var hosts = Ranking()
    public var processors = Ranking()
    /// By time since the last use, in the order of the steps.
    public var ages: [Totals] = []
    /// By size, in the order of the steps.
    public var sizes: [Totals] = []
    public var expirations = Expirations(days: [])
    /// nil while no limit is reached.
    public var eviction: Eviction?
    public var oldestAccess: Timestamp?
    public var newestAccess: Timestamp?

    public init() {}

    /// What is to be found out.
    public struct Question: Sendable {
        public var now: Timestamp
        /// Groups that are named.
        public var groups: Int
        /// Milliseconds since the last use at which the second, third … step begin.
        public var ages: [Int64]
        /// Bytes at which the second, third … step begin.
        public var sizes: [Int64]
        /// The last millisecond of each day.
        public var days: [Timestamp]
        public var limits: StorageLimits

        public init(
            now: Timestamp, groups: Int, ages: [Int64], sizes: [Int64], days: [Timestamp], limits: StorageLimits
        ) {
            self.now = now
            self.groups = groups
            self.ages = ages
            self.sizes = sizes
            self.days = days
            self.limits = limits
        }
    }
}
