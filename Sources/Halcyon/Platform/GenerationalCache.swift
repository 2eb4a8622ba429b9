/// A bounded dictionary that keeps what was used last. Reading costs a dictionary lookup and no bookkeeping.
///
/// Two generations: a full young one replaces the old one, whose values are dropped unless they were looked up since.
struct GenerationalCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    /// Of one generation.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { Set(young.keys).union(old.keys).count }

    mutating func value(forKey key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        store(value, forKey: key)
        return value
    }

    mutating func store(_ value: Value, forKey key: Key) {
        if young.count >= limit { (old, young) = (young, [:]) }
        young[key] = value
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() { (young, old) = ([:], [:]) }
}
