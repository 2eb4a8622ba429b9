internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The thumbnails of entries, by file name: an entry can be in several tables.
struct Thumbnails {
    private var thumbnails: [String: Thumbnail] = [:]

    /// Larger files are not read: they would fill the memory.
    private static let largestFile: Int64 = 100_000_000

    /// Reads the entries, without counting a use, and decodes one at a time.
    init(of entries: [DiskStorage.EntryInfo], in storage: Storage, _ progress: (ReportStep) -> Void) {
        let entries = Dictionary(entries.map { ($0.fileName, $0) }) { first, _ in first }
        progress(.pictures(read: 0, of: entries.count))
        for (index, entry) in entries.values.enumerated() {
            thumbnails[entry.fileName] = Self.thumbnail(of: entry, in: storage)
            progress(.pictures(read: index + 1, of: entries.count))
        }
    }

    subscript(_ entry: DiskStorage.EntryInfo) -> Thumbnail? { thumbnails[entry.fileName] }

    private static func thumbnail(of entry: DiskStorage.EntryInfo, in storage: Storage) -> Thumbnail? {
        guard entry.size <= largestFile else { return nil }
        // Only for display: the page shows no picture for a file that cannot be read, and `halcyon check` says why.
        return (try? storage.peek(entry)).flatMap(Thumbnail.init(ofPictureIn:))
    }

    /// Throws if this build cannot decode pictures.
    static func requireCodecs() throws {
        #if os(Linux) && !ImageCodecs
            throw Failure(
                "--pictures needs the image codecs, and this build has none. Build with the package trait ImageCodecs, or leave "
                    + "out --pictures.")
        #endif
    }
}
