internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// A power failure: what the disk forgets of its history.
///
/// Everything older than the write-back time survives, and so does everything synchronized. Of the rest, each file's pages and length
/// survive in any combination. Changes of names reach the disk in order, and the newest are lost, as on volumes with a journal or with copy
/// on write; without that order, any of them may be lost. Sources: SQLite's assumptions about a disk
/// (https://www.sqlite.org/atomiccommit.html, section 2), and ext4's modes data=ordered and data=writeback
/// (https://docs.kernel.org/admin-guide/ext4.html).
package struct PowerCut {
    package let at: Timestamp
    package let writeBackTime: Int64
    package let namesAreOrdered: Bool
    /// The unit in which contents survive.
    static let pageSize = 4096

    package init(at: Timestamp, writeBackTime: Int64 = 30_000, namesAreOrdered: Bool = true) {
        self.at = at
        self.writeBackTime = writeBackTime
        self.namesAreOrdered = namesAreOrdered
    }

    package func survivors(of history: DiskHistory, using generator: inout SeededGenerator) -> DiskImage {
        var image = history.base
        applyNamings(of: history, to: &image, using: &generator)
        for node in Set(history.changes.keys).union(image.names.values).sorted() {
            image.files[node] = survivor(
                of: history.changes[node] ?? [], on: history.base.files[node] ?? DiskImage.File(), using: &generator)
        }
        image.dropUnreachable()
        return image
    }

    private func isWrittenBack<Content>(_ event: DiskHistory.Event<Content>) -> Bool {
        event.isSynchronized || at - event.at > writeBackTime
    }

    // MARK: Names

    private func applyNamings(
        of history: DiskHistory, to image: inout DiskImage, using generator: inout SeededGenerator
    ) {
        let namings = history.namings
        let written = (namings.lastIndex(where: isWrittenBack) ?? -1) + 1
        let end = Int.random(in: written...namings.count, using: &generator)
        let odds = Double.random(in: 0...1, using: &generator)
        for (index, naming) in namings.enumerated() {
            let isChosen = Double.random(in: 0...1, using: &generator) < odds
            let survives = namesAreOrdered ? index < end : isWrittenBack(naming) || isChosen
            if survives { naming.content.apply(to: &image) }
        }
    }

    // MARK: Contents

    /// The possible contents of a file that the disk had not fully written.
    private enum Fate: CaseIterable { case written, lost, pageByPage, lengthAlone }

    private func survivor(
        of events: [DiskHistory.Event<DiskHistory.Change>], on base: DiskImage.File,
        using generator: inout SeededGenerator
    ) -> DiskImage.File {
        let synchronized = events.lastIndex { if case .synchronize = $0.content { true } else { false } } ?? -1
        let written = max(synchronized, events.lastIndex(where: isWrittenBack) ?? -1) + 1
        var file = base
        for event in events[..<written] { file.apply(event.content) }
        let fate = Fate.allCases.randomElement(using: &generator) ?? .written
        for event in events[written...] { apply(event.content, to: &file, fate: fate, using: &generator) }
        return file
    }

    private func apply(
        _ change: DiskHistory.Change, to file: inout DiskImage.File, fate: Fate, using generator: inout SeededGenerator
    ) {
        switch (fate, change) {
        case (.written, _): file.apply(change)
        case (.lost, _), (_, .synchronize): break
        case (_, .write(let offset, let data)):
            for start in stride(from: 0, to: data.count, by: Self.pageSize) {
                let page = data.dropFirst(start).prefix(Self.pageSize)
                let survives = fate == .pageByPage && Bool.random(using: &generator)
                if survives { file.write(Data(page), at: offset + start) }
            }
            let end = offset + data.count
            let isLonger = fate == .lengthAlone || Bool.random(using: &generator)
            if isLonger, file.bytes.count < end { file.resize(to: end) }
        case (_, .truncate), (_, .setModified):
            if Bool.random(using: &generator) { file.apply(change) }
        }
    }
}

extension DiskImage {
    /// Files whose folder did not survive are lost with it, and so are files without a name.
    mutating func dropUnreachable() {
        let root = directories.min { $0.count < $1.count } ?? ""
        for path in directories.sorted() where path != root && !directories.contains(Self.parent(of: path)) {
            directories.remove(path)
        }
        names = names.filter { directories.contains(Self.parent(of: $0.key)) }
        let named = Set(names.values)
        files = files.filter { named.contains($0.key) }
    }

    static func parent(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
}
