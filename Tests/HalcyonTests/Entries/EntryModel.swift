import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

/// A key whose parts the test knows without parsing it.
struct ModelKey: Hashable {
    let base: String
    let host: String?
    let processor: String

    var text: String { processor.isEmpty ? base : "\(base)@\(processor)" }

    static let processors = ["", "blur", "2x.png", "resize(1,1)@3", "é%_"]
    private static let bases: [(String, String?)] = [
        ("K", nil), ("k/é", nil), ("k/e\u{301}", nil), ("100%_*", nil), ("日本", nil), ("a://b/", "b"),
        ("https://img1.example.com/a.png", "img1.example.com"),
        ("https://img1.example.com/b@2x.png", "img1.example.com"),
        ("http://user:p@w@IMG2.example.com:8080/a?b://c", "img2.example.com"),
        ("https://img1.example.com/", "img1.example.com"),
        ("no scheme://img1.example.com/a", nil),
    ]

    static let all = bases.flatMap { base, host in
        processors.map { ModelKey(base: base, host: host, processor: $0) }
    }

    static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }
}

/// What a cache records about an entry.
struct ModelEntry {
    let key: ModelKey
    let fileName: String
    let id: Int64
    var base: String?
    var size: Int64 = 0
    var created = Date.distantPast
    var accessed = Date.distantPast
    /// Milliseconds since 1970.
    var expiresAt: Int64?
    var timeToLive: Int64?
    var hits = 0
    var isPinned = false
    var tags: Set<String> = []

    func isExpired(at now: Timestamp) -> Bool { !isPinned && expiresAt.map { $0 <= now.milliseconds } ?? false }

    var processor: String? {
        base == nil ? nil : String(key.text.unicodeScalars.dropFirst((base?.unicodeScalars.count ?? 0) + 1))
    }

    func meets(_ filter: EntryFilter, at now: Timestamp) -> Bool {
        meetsKeys(filter) && meetsTimes(filter) && (filter.minimumSize ?? .min) <= size
            && size <= filter.maximumSize ?? .max && filter.isPinned ?? isPinned == isPinned
            && filter.isExpired ?? isExpired(at: now) == isExpired(at: now) && filter.tag.map(tags.contains) ?? true
    }

    private func meetsKeys(_ filter: EntryFilter) -> Bool {
        let bytes = Array(key.text.utf8)
        if let prefix = filter.keyPrefix, !bytes.starts(with: prefix.utf8) { return false }
        if let text = filter.text, !contains(Array(text.utf8), in: bytes) { return false }
        if let host = filter.host, key.host != host.lowercased() { return false }
        if let wanted = filter.processorIdentifier, processor.map({ $0.utf8.elementsEqual(wanted.utf8) }) != true {
            return false
        }
        return filter.baseKeys?.contains { isVariant(of: $0, bytes) } ?? true
    }

    private func isVariant(of wanted: String, _ bytes: [UInt8]) -> Bool {
        if let base { return base.utf8.elementsEqual(wanted.utf8) }
        return bytes == Array(wanted.utf8) || bytes.starts(with: "\(wanted)@".utf8)
    }

    private func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        func folded(_ bytes: [UInt8]) -> [UInt8] { bytes.map { (65...90).contains($0) ? $0 + 32 : $0 } }
        let (needle, bytes) = (folded(needle), folded(bytes))
        guard bytes.count >= needle.count else { return false }
        return (0...(bytes.count - needle.count)).contains { Array(bytes[$0..<($0 + needle.count)]) == needle }
    }

    private func meetsTimes(_ filter: EntryFilter) -> Bool {
        if let after = filter.createdAfter, created <= after { return false }
        if let before = filter.createdBefore, created >= before { return false }
        if let after = filter.accessedAfter, accessed <= after { return false }
        if let before = filter.accessedBefore, accessed >= before { return false }
        guard let before = filter.expiresBefore else { return true }
        return !isPinned && expiresAt.map { Timestamp(milliseconds: $0).date < before } ?? false
    }

    /// The value that an order sorts by; for `key`, the bytes of the key.
    private func rank(_ order: EntryOrder) -> [Int64] {
        switch order {
        case .access, .eviction: [Timestamp(accessed).milliseconds, size, id]
        case .size: [size, id]
        case .created: [Timestamp(created).milliseconds, id]
        case .expiration: [isPinned ? .max : expiresAt ?? .max, id]
        case .key: key.text.utf8.map(Int64.init)
        }
    }

    static func areInOrder(_ order: EntryOrder) -> (ModelEntry, ModelEntry) -> Bool {
        { $0.rank(order).lexicographicallyPrecedes($1.rank(order)) }
    }
}

/// A cache as an array of structs.
struct EntryModel {
    var entries: [ModelEntry] = []

    subscript(key: ModelKey) -> ModelEntry? {
        get { entries.first { $0.key == key } }
        set {
            entries.removeAll { $0.key == key }
            if let newValue { entries.append(newValue) }
        }
    }

    func list(_ filter: EntryFilter, _ order: EntryOrder, descending: Bool, at now: Timestamp) -> [ModelEntry] {
        let sorted = entries.filter { $0.meets(filter, at: now) }.sorted(by: ModelEntry.areInOrder(order))
        return descending ? sorted.reversed() : sorted
    }

    func totals(_ filter: EntryFilter, at now: Timestamp) -> Totals {
        let matching = entries.filter { $0.meets(filter, at: now) }
        return Totals(entries: Int64(matching.count), bytes: matching.reduce(0) { $0 + $1.size })
    }
}
