/// Keys and values in the order of their last use, within limits. A pure value: the lock is its owner's.
///
/// A dictionary leads from a key to a slot. Slots are places in arrays, linked by their numbers, so that an entry is no
/// object of its own; what a use touches lies close together, apart from the rest. Freed slots are used again first.
///
/// - Complexity: O(1) for each entry stored, used, removed or evicted (amortized, as the dictionary and the array are).
struct LeastRecentlyUsedCache<Key: Hashable, Value> {
    struct Entry {
        let key: Key
        let value: Value
        let cost: Int
    }

    /// What a store has pushed out.
    struct Displaced {
        /// The value that was under the same key.
        var replaced: Value?
        /// Entries evicted for room, least recently used first; the new one itself if it is dearer than the limit.
        var evicted: [Entry] = []
    }

    private typealias Slot = Int32

    private struct Link {
        var newer: Slot = .none
        /// In a free slot, the next free one.
        var older: Slot = .none
    }

    private var slotOfKey: [Key: Slot] = [:]
    /// nil in free slots.
    private var values: [Value?] = []
    private var links: [Link] = []
    /// nil in free slots.
    private var keysOfSlots: [Key?] = []
    private var costs: [Int] = []
    private var newest: Slot = .none
    private var oldest: Slot = .none
    private var firstFree: Slot = .none

    /// Setting them evicts nothing; see ``evict()``.
    var limits: MemoryLimits
    /// The sum of the costs of all entries.
    private(set) var totalCost = 0
    /// Links set and cut since the beginning: what tests measure instead of time.
    private(set) var linkCount = 0

    init(limits: MemoryLimits = MemoryLimits()) { self.limits = limits }

    var count: Int { slotOfKey.count }
    var keys: some Collection<Key> { slotOfKey.keys }
    /// Places for entries, free ones included.
    var slotCount: Int { values.count }

    // MARK: One entry

    /// Puts a value under a key, in front of all others, and evicts from the back what the limits ask for.
    ///
    /// A value dearer than the whole cost limit is not kept and evicts no others; what was under its key goes, because
    /// it is out of date.
    ///
    /// - Parameter cost: a negative one counts as 0.
    mutating func store(_ value: Value, forKey key: Key, cost: Int) -> Displaced {
        let cost = max(0, cost)
        guard cost <= limits.effectiveTotalCost else {
            return Displaced(replaced: remove(key), evicted: [Entry(key: key, value: value, cost: cost)])
        }
        let slot = slot(for: key)
        // The slot is out of the order while others are evicted: the new entry is not among them.
        let replaced = takeValue(of: slot)
        let evicted = evict(leavingRoomFor: cost)
        fill(slot, value, cost: cost)
        return Displaced(replaced: replaced, evicted: evicted)
    }

    /// The value under a key, if it passes; then it becomes the most recently used.
    mutating func use(_ key: Key, where isUsable: (Value) -> Bool) -> Value? {
        guard let slot = slotOfKey[key], let value = values[Int(slot)], isUsable(value) else { return nil }
        if slot != newest {
            unlink(slot)
            linkAsNewest(slot)
        }
        return value
    }

    /// The value under a key. Not a use.
    func peek(_ key: Key) -> Value? { slotOfKey[key].flatMap { values[Int($0)] } }

    mutating func remove(_ key: Key) -> Value? {
        guard let slot = slotOfKey.removeValue(forKey: key) else { return nil }
        return free(slot)?.value
    }

    // MARK: Many entries

    /// Evicts until the limits hold; least recently used first.
    mutating func evict() -> [Entry] { evict(leavingRoomFor: 0) }

    private mutating func evict(leavingRoomFor cost: Int) -> [Entry] {
        var evicted: [Entry] = []
        while oldest != .none, totalCost > limits.effectiveTotalCost - cost || count > limits.effectiveCount {
            guard let entry = free(oldest) else { break }
            slotOfKey[entry.key] = nil
            evicted.append(entry)
        }
        return evicted
    }

    /// Removes the values that pass, of some slots: a long clean can be done in parts.
    mutating func removeAll(inSlots range: Range<Int>, where isDoomed: (Value) -> Bool) -> [Value] {
        var removed: [Value] = []
        for index in range.clamped(to: values.indices) {
            guard values[index].map(isDoomed) ?? false, let entry = free(Slot(index)) else { continue }
            slotOfKey[entry.key] = nil
            removed.append(entry.value)
        }
        return removed
    }

    // MARK: Slots

    /// The slot that is known for a key, or a free one that is from now on.
    private mutating func slot(for key: Key) -> Slot {
        let free = firstFree == .none ? Slot(values.count) : firstFree
        let slot = Self.claim(&slotOfKey[key, default: .none], or: free)
        guard slot == free else { return slot }
        if firstFree == .none {
            appendSlot(key)
        } else {
            firstFree = links[Int(slot)].older
            keysOfSlots[Int(slot)] = key
        }
        return slot
    }

    /// One visit of the dictionary, for a known key as for a new one.
    private static func claim(_ known: inout Slot, or free: Slot) -> Slot {
        if known == .none { known = free }
        return known
    }

    private mutating func appendSlot(_ key: Key) {
        values.append(nil)
        links.append(Link())
        keysOfSlots.append(key)
        costs.append(0)
    }

    /// Empties a slot that stays in use by its key, and takes it out of the order.
    private mutating func takeValue(of slot: Slot) -> Value? {
        guard let value = values[Int(slot)].take() else { return nil }
        unlink(slot)
        totalCost -= costs[Int(slot)]
        return value
    }

    /// Gives a slot without a value one, in front of all others.
    private mutating func fill(_ slot: Slot, _ value: Value, cost: Int) {
        values[Int(slot)] = value
        costs[Int(slot)] = cost
        totalCost += cost
        linkAsNewest(slot)
    }

    private mutating func free(_ slot: Slot) -> Entry? {
        guard let value = takeValue(of: slot), let key = keysOfSlots[Int(slot)].take() else { return nil }
        links[Int(slot)].older = firstFree
        firstFree = slot
        return Entry(key: key, value: value, cost: costs[Int(slot)])
    }

    // MARK: Links

    private mutating func linkAsNewest(_ slot: Slot) {
        linkCount &+= 1
        links[Int(slot)] = Link(newer: .none, older: newest)
        if newest == .none { oldest = slot } else { links[Int(newest)].newer = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Slot) {
        linkCount &+= 1
        let link = links[Int(slot)]
        if link.newer == .none { newest = link.older } else { links[Int(link.newer)].older = link.older }
        if link.older == .none { oldest = link.newer } else { links[Int(link.older)].newer = link.newer }
    }

    // MARK: For tests

    /// From the most to the least recently used, by the links in one direction.
    var entriesFromNewest: [Entry] { walk(from: newest, \.older) }
    /// The same in the other.
    var entriesFromOldest: [Entry] { walk(from: oldest, \.newer) }

    private func walk(from first: Slot, _ next: KeyPath<Link, Slot>) -> [Entry] {
        var entries: [Entry] = []
        var slot = first
        while slot != .none, let key = keysOfSlots[Int(slot)], let value = values[Int(slot)] {
            entries.append(Entry(key: key, value: value, cost: costs[Int(slot)]))
            slot = links[Int(slot)][keyPath: next]
        }
        return entries
    }
}

extension Int32 {
    /// No slot.
    fileprivate static var none: Int32 { -1 }
}
