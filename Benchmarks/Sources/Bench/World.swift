import BenchReport
import Foundation
import Workload

/// The contestants with the same entries, each in its own new folder on one volume.
final class World {
    let volume: Volume
    let count: Int
    let halcyon: HalcyonCache
    let bare: BareFiles
    /// nil if it would take too long.
    let attributes: AttributeBackend?
    let attributeFolder: URL
    /// The number of the next entry that is not stored yet.
    private var next: Int
    private var randomness = Randomness()
    private let staged: [CChar]

    static let blobSize = 4_096

    /// Creates the folders and fills them.
    init(volume: Volume, count: Int, withAttributes: Bool) throws {
        self.volume = volume
        self.count = count
        let folder = volume.folder.appendingPathComponent("\(count)-entries")
        halcyon = HalcyonCache(folder: folder.appendingPathComponent("halcyon"))
        bare = try BareFiles(folder: folder.appendingPathComponent("bare"))
        attributeFolder = folder.appendingPathComponent("attributes")
        attributes = withAttributes ? try AttributeBackend(folder: attributeFolder) : nil
        next = count
        staged = Array("\(folder.path)/staged".utf8CString)
        Progress.say("\(description): storing the entries")
        try fill()
    }

    var description: String { "\(volume.name), \(FigureText.count(count)) entries" }

    /// In turns, so that no folder has older blocks of the disk.
    private func fill() throws {
        let (storage, data) = (try halcyon.storage(), blob(Self.blobSize))
        // Not with its own stores: each waits for the disk, and they are measured elsewhere.
        let attributeFiles = try attributes.map { _ in try BareFiles(folder: attributeFolder) }
        for start in stride(from: 0, to: count, by: 500) {
            let items = (start..<min(count, start + 500)).map(item)
            for item in items { try storage.store(value: data, forKey: item.key) }
            for item in items { BareFiles.store(data, at: item.barePath, staged: staged) }
            if let attributeFiles { for item in items { store(data, item, in: attributeFiles) } }
        }
        attributes?.rereadNames()
    }

    private func store(_ data: Data, _ item: Item, in files: BareFiles) {
        let path = files.path(Item.name(ofKey: item.key))
        BareFiles.store(data, at: path, staged: staged)
        let expiration = timespec(tv_sec: time(nil) + 7 * 86_400, tv_nsec: 0)
        require(utimensat(AT_FDCWD, path, [expiration, expiration], 0) == 0)
    }

    // MARK: Entries

    func item(_ number: Int) -> Item { Item(number, bare: bare) }

    /// Of the entries that existed from the beginning.
    func someItems(_ count: Int) -> [Item] {
        (0..<count).map { _ in item(Int.random(in: 0..<self.count, using: &randomness)) }
    }

    /// Each is there once.
    func differentItems(_ count: Int) -> [Item] {
        (0..<self.count).shuffled(using: &randomness).prefix(count).map(item)
    }

    /// Never stored before.
    func newItems(_ count: Int) -> [Item] {
        defer { next += count }
        return (next..<next + count).map(item)
    }

    // MARK: Turns

    /// The calls of each contestant for an item.
    ///
    /// - Parameter attribute: nil if the file-attribute backend takes no part.
    func contestants(
        halcyon: @escaping (Item) throws -> Void, limit: @escaping (Item) -> Void,
        attribute: ((AttributeBackend, Item) throws -> Void)? = nil
    ) -> [Contestant] {
        var contestants = [
            Contestant(role: .halcyon, play: halcyon, settle: self.halcyon.settle),
            Contestant(role: .limit, play: limit),
        ]
        if let attributes, let attribute {
            contestants.append(
                Contestant(role: .attribute, play: { try attribute(attributes, $0) }, settle: attributes.settle))
        }
        return contestants
    }

    func storeBare(_ data: Data, _ item: Item) { BareFiles.store(data, at: item.barePath, staged: staged) }

    /// A row of this world.
    func row(_ op: String, bytes: Int? = nil, _ outcome: Outcome, limitName: String, target: Target?) -> ResultRow? {
        guard let figure = Figure(outcome[.halcyon]) else { return nil }
        var row = ResultRow(op, on: volume.kind, entries: count, bytes: bytes, halcyon: figure)
        row.limit = Figure(outcome[.limit])
        row.limitName = row.limit == nil ? nil : limitName
        row.attribute = Figure(outcome[.attribute])
        row.target = target
        return row
    }

    /// The tails in place of the medians, over all rounds together.
    func tail(of outcome: Outcome, like row: ResultRow?, target: Target? = nil) -> ResultRow? {
        guard var row, let halcyon = Figure(tailOf: outcome[.halcyon]) else { return nil }
        row.op = Self.tailName(row.op)
        row.halcyon = halcyon
        row.limit = Figure(tailOf: outcome[.limit])
        row.attribute = Figure(tailOf: outcome[.attribute])
        row.target = target
        return row
    }

    static func tailName(_ name: String) -> String { "\(name)_p99" }

    /// On the disk, a multiple of the bare calls; on tmpfs, a number of microseconds more than they take.
    func target(_ ratio: Double, over microseconds: Double) -> Target {
        volume.kind == .disk ? .ratio(ratio) : .overLimit(microseconds)
    }

    /// The target of a store: also at most what the file-attribute backend takes.
    func storeTarget(_ ratio: Double, over microseconds: Double = 35) -> Target {
        .all([target(ratio, over: microseconds), .ofAttribute(1)])
    }
}
