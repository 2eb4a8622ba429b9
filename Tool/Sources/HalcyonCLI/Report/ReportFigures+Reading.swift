internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

extension ReportFigures {
    private static let groups = 12
    private static let rows = 15

    /// Asks the cache: some 10 µs for each entry.
    ///
    /// - Parameter progress: called with how many have been counted.
    init(_ storage: Storage, limits: StorageLimits, showsKeys: Bool, progress: (Int) -> Void) throws {
        let now = Timestamp(Date())
        self.init(name: storage.directoryURL.lastPathComponent, madeAt: now)
        self.limits = limits
        self.showsKeys = showsKeys
        let question = StorageReport.Question(
            now: now, groups: Self.groups, ages: ReportSteps.ages, sizes: ReportSteps.sizes,
            days: ReportSteps.daysEnds(from: now), limits: limits)
        report = try StorageReport(on: question, of: storage, progress: progress)
        try readStatistics(of: storage)
        try readRows(of: storage)
        readVolume(of: storage)
    }

    private mutating func readStatistics(of storage: Storage) throws {
        let statistics = try storage.statistics
        counts = statistics.total
        countedSince = statistics.since.map(Timestamp.init)
    }

    private mutating func readRows(of storage: Storage) throws {
        func rows(_ order: DiskStorage.EntryOrder, _ filter: DiskStorage.EntryFilter = .all, descending: Bool) throws
            -> [Row]
        {
            try storage.entries(matching: filter, sortedBy: order, descending: descending, limit: Self.rows)
                .entries.map { Row($0, showsKey: showsKeys) }
        }
        evictedNext = try rows(.access, DiskStorage.EntryFilter(isPinned: false), descending: false)
        largest = try rows(.size, descending: true)
        latest = try rows(.access, descending: true)
    }

    private mutating func readVolume(of storage: Storage) {
        let files = CacheFolder(path: storage.directoryURL.path)
        // Only shown: what cannot be asked is shown as unknown.
        freeBytes = (try? storage.usage())?.freeBytes
        indexBytes = files.indexBytes
        logBytes = files.logBytes
    }
}
