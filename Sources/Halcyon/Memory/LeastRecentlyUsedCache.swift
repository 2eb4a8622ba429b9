/// Keys and values in the order of their last use, within limits. A value type: its owner provides the lock.
///
/// A dictionary maps a key to a slot. Slots are array elements linked by their numbers, so an entry needs no object of its own,
/// and the data that a use touches is compact. Freed slots are reused first.
///
/// - Complexity: O(1) for each entry stored, used, removed or evicted (amortized, like the dictionary and the array).
struct LeastRecentlyUsedCache<Key: Hashable, Value> {
    struct Entry {
        let key: Key
        let value: Value
        let cost: Int
    }

    /// The entries displaced by a store.
    ///
    /// - replaced: the old value of the same key.
    /// - evicted: entries evicted to make room, least recently used first; the new one itself if it exceeds the limit.
    typealias Displaced = (replaced: Value?, evicted: [Entry])

    typealias Number = Int32

    struct Slot {
        /// nil in a free slot.
        var value: Value?
        var cost = 0
        var newer: Number = .none
        /// In a free slot, the next free one.
        var older: Number = .none
    }

    private var slotOfKey: [Key: Number] = [:]
    private(set) var slots: [Slot] = []
    /// Stored apart, because only evictions need them, not uses. nil in free slots.
    private(set) var keysOfSlots: [Key?] = []
    private(set) var newest: Number = .none
    private(set) var oldest: Number = .none
    private var firstFree: Number = .none

    /// Setting the limits evicts nothing; see ``evict(leavingRoomFor:)``.
    var limits: MemoryLimits
    /// The sum of the costs of all entries.
    private(set) var totalCost = 0
    /// The number of links set and cut so far. Tests measure it instead of time.
    private(set) var linkCount = 0

    init(limits: MemoryLimits = MemoryLimits()) { self.limits = limits }

    var count: Int { slotOfKey.count }
    var keys: some Collection<Key> { slotOfKey.keys }
    /// The number of slots, including free ones.
    var slotCount: Int { slots.count }

    // MARK: One entry

    /// Stores a value under a key as the most recently used, and evicts the least recently used entries to meet the limits.
    ///
    /// A value that costs more than the whole limit is not kept and evicts no others, but the old value of its key is removed
    /// because it is outdated.
    ///
    /// - Parameter cost: a negative cost counts as 0.
    mutating func store(_ value: Value, forKey key: Key, cost: Int) -> Displaced {
        let cost = max(0, cost)
        guard cost <= limits.effectiveTotalCost else {
            return (remove(key), [Entry(key: key, value: value, cost: cost)])
        }
        let slot = slot(for: key)
        // The slot is unlinked while others are evicted, so the new entry is not evicted.
        let replaced = takeValue(of: slot)
        let evicted = evict(leavingRoomFor: cost)
        slots[Int(slot)].value = value
        slots[Int(slot)].cost = cost
        totalCost += cost
        linkAsNewest(slot)
        return (replaced, evicted)
    }

    /// The value under a key if it is usable; makes it the most recently used.
    mutating func use(_ key: Key, where isUsable: (Value) -> Bool) -> Value? {
        guard let slot = slotOfKey[key], let value = slots[Int(slot)].value, isUsable(value) else { return nil }
        if slot != newest {
            unlink(slot)
            linkAsNewest(slot)
        }
        return value
    }

    /// The value under a key. Does not count as a use.
    func peek(_ key: Key) -> Value? { slotOfKey[key].flatMap { slots[Int($0)].value } }

    mutating func remove(_ key: Key) -> Value? {
        guard let slot = slotOfKey.removeValue(forKey: key) else { return nil }
        return free(slot)?.value
    }

    // MARK: Many entries

    /// Evicts the least recently used entries until the limits are met.
    mutating func evict(leavingRoomFor cost: Int = 0) -> [Entry] {
        var evicted: [Entry] = []
        while oldest != .none, totalCost > limits.effectiveTotalCost - cost || count > limits.effectiveCount {
            guard let entry = free(oldest) else { break }
            slotOfKey[entry.key] = nil
            evicted.append(entry)
        }
        return evicted
    }

    /// Removes the values in a range of slots that satisfy a condition, so that a long clean can run in parts.
    mutating func removeAll(inSlots range: Range<Int>, where isDoomed: (Value) -> Bool) -> [Value] {
        var removed: [Value] = []
        for index in range.clamped(to: slots.indices) {
            guard slots[index].value.map(isDoomed) ?? false, let entry = free(Number(index)) else { continue }
            slotOfKey[entry.key] = nil
            removed.append(entry.value)
        }
        return removed
    }

    // MARK: Slots

    /// The slot of a key, or a free one that it assigns to the key.
    private mutating func slot(for key: Key) -> Number {
        let free = firstFree == .none ? Number(slots.count) : firstFree
        let slot = Self.claim(&slotOfKey[key, default: .none], or: free)
        guard slot == free else { return slot }
        if firstFree == .none {
            slots.append(Slot())
            keysOfSlots.append(key)
        } else {
            firstFree = slots[Int(slot)].older
            keysOfSlots[Int(slot)] = key
        }
        return slot
    }

    /// Accesses the dictionary once, for a known or a new key.
    private static func claim(_ known: inout Number, or free: Number) -> Number {
        if known == .none { known = free }
        return known
    }

    /// Empties and unlinks a slot that its key keeps.
    private mutating func takeValue(of slot: Number) -> Value? {
        guard let value = slots[Int(slot)].value.take() else { return nil }
        unlink(slot)
        totalCost -= slots[Int(slot)].cost
        return value
    }

    private mutating func free(_ slot: Number) -> Entry? {
        guard let value = takeValue(of: slot), let key = keysOfSlots[Int(slot)].take() else { return nil }
        slots[Int(slot)].older = firstFree
        firstFree = slot
        return Entry(key: key, value: value, cost: slots[Int(slot)].cost)
    }

    // MARK: Links

    private mutating func linkAsNewest(_ slot: Number) {
        linkCount &+= 1
        slots[Int(slot)].newer = .none
        slots[Int(slot)].older = newest
        if newest == .none { oldest = slot } else { slots[Int(newest)].newer = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Number) {
        linkCount &+= 1
        let (newer, older) = (slots[Int(slot)].newer, slots[Int(slot)].older)
        if newer == .none { newest = older } else { slots[Int(newer)].older = older }
        if older == .none { oldest = newer } else { slots[Int(older)].newer = newer }
    }
}

extension Int32 {
    /// No slot.
    fileprivate static var none: Int32 { -1 }
}
