@_spi(HalcyonTool) package import Halcyon

/// All figures of a report, for the page or for JSON.
package struct ReportFigures: Sendable {
    /// An entry in a table.
    package struct Row: Sendable {
        package let label: EntryLabel
        package let size: Int64
        package let lastAccess: Timestamp
        /// nil for never.
        package let expiration: Timestamp?
        package let hits: Int
        package let isPinned: Bool
        /// nil if the entry is no picture, or pictures were not requested.
        package let thumbnail: Thumbnail?

        package init(
            label: EntryLabel, size: Int64, lastAccess: Timestamp, expiration: Timestamp?, hits: Int, isPinned: Bool,
            thumbnail: Thumbnail? = nil
        ) {
            self.label = label
            self.size = size
            self.lastAccess = lastAccess
            self.expiration = expiration
            self.hits = hits
            self.isPinned = isPinned
            self.thumbnail = thumbnail
        }
    }

    /// The last component of the folder's path. The rest may name the owner.
    package var name: String
    package var madeAt: Timestamp
    package var report = StorageReport()
    package var counts = DiskStorage.Statistics.Counts()
    /// nil before anything was counted.
    package var countedSince: Timestamp?
    /// nil if the volume does not report it.
    package var freeBytes: Int64?
    package var indexBytes: Int64 = 0
    package var logBytes: Int64 = 0
    package var limits = StorageLimits()
    package var evictedNext: [Row] = []
    package var largest: [Row] = []
    package var latest: [Row] = []
    package var showsKeys = false
    package var showsPictures = false

    package init(name: String, madeAt: Timestamp) {
        self.name = name
        self.madeAt = madeAt
    }

    package var isEmpty: Bool { report.totals.entries == 0 }
}

extension ReportFigures.Row {
    init(_ entry: DiskStorage.EntryInfo, showsKey: Bool, thumbnail: Thumbnail?) {
        self.init(
            label: EntryLabel(entry, showsKey: showsKey), size: entry.size, lastAccess: Timestamp(entry.lastAccess),
            expiration: entry.expiration.map(Timestamp.init), hits: entry.hits, isPinned: entry.isPinned,
            thumbnail: thumbnail)
    }

    /// `in 4 d`, `expired`, `never`, `pinned`.
    func expiry(at now: Timestamp) -> String {
        if isPinned { return "pinned" }
        guard let expiration else { return "never" }
        return expiration <= now ? "expired" : "in \(Figure.span(milliseconds: expiration - now))"
    }
}
