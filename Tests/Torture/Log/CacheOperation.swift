/// An operation of a worker on a cache.
enum CacheOperation: Equatable, Sendable {
    /// - Parameter isLasting: false if it expires during the run, so that any later miss is allowed.
    case store(key: String, length: Int, isLasting: Bool)
    case remove(key: String)
    case value(key: String)
    case isCached(key: String)
    /// Sets a tag, which changes no value.
    case update(key: String)
    case evict
    case expire
    case removeAll
    case page
    case totals
    case open
    case reopen
}

/// The result of an operation.
enum Outcome: Equatable, Sendable {
    case done
    /// A value was read, or exists.
    case hit(StoreID?)
    case miss
    /// Keys of the entries that an eviction or an expiration removed.
    case gone([String])
    case failed(String)
    /// Bytes that no read may ever return.
    case wrong(String)
}

extension CacheOperation: LosslessStringConvertible {
    var description: String {
        switch self {
        case .store(let key, let length, let isLasting): "store \(key) \(length) \(isLasting ? "lasting" : "brief")"
        case .remove(let key): "remove \(key)"
        case .value(let key): "value \(key)"
        case .isCached(let key): "isCached \(key)"
        case .update(let key): "update \(key)"
        case .evict: "evict"
        case .expire: "expire"
        case .removeAll: "removeAll"
        case .page: "page"
        case .totals: "totals"
        case .open: "open"
        case .reopen: "reopen"
        }
    }

    init?(_ description: String) {
        let words = description.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("store", 4):
            guard let length = Int(words[2]) else { return nil }
            self = .store(key: words[1], length: length, isLasting: words[3] == "lasting")
        case ("remove", 2): self = .remove(key: words[1])
        case ("value", 2): self = .value(key: words[1])
        case ("isCached", 2): self = .isCached(key: words[1])
        case ("update", 2): self = .update(key: words[1])
        case (let word?, 1):
            guard let plain = Self.plain[word] else { return nil }
            self = plain
        default: return nil
        }
    }

    private static let plain: [String: CacheOperation] = [
        "evict": .evict, "expire": .expire, "removeAll": .removeAll, "page": .page, "totals": .totals, "open": .open,
        "reopen": .reopen,
    ]
}

extension Outcome: LosslessStringConvertible {
    var description: String {
        switch self {
        case .done: "done"
        case .hit(let store): "hit \(store.map(\.description) ?? "-")"
        case .miss: "miss"
        case .gone(let keys): "gone \(keys.joined(separator: ","))"
        case .failed(let text): "failed \(text)"
        case .wrong(let text): "wrong \(text)"
        }
    }

    init?(_ description: String) {
        let words = description.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "done": self = .done
        case "hit": self = .hit(StoreID(rest))
        case "miss": self = .miss
        case "gone": self = .gone(rest.split(separator: ",").map(String.init))
        case "failed": self = .failed(rest)
        case "wrong": self = .wrong(rest)
        default: return nil
        }
    }
}
