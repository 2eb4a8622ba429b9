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

    private typealias Number = Int32

    private struct Slot {
        /// nil in a free slot.
        var value: Value?
        var cost = 0
        var newer: Number = .none
        /// In a free slot, the next free one.
        var older: Number = .none
    }

    private var slotOfKey: [Key: Number] = [:]
    private var slots: [Slot] = []
    /// Needed for evictions only, so not among what a use touches. nil in free slots.
    private var keysOfSlots: [Key?] = []
    private var newest: Number = .none
    private var oldest: Number = .none
    private var firstFree: Number = .none

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
    var slotCount: Int { slots.count }

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
        guard let slot = slotOfKey[key], let value = slots[Int(slot)].value, isUsable(value) else { return nil }
        if slot != newest {
            unlink(slot)
            linkAsNewest(slot)
        }
        return value
    }

    /// The value under a key. Not a use.
    func peek(_ key: Key) -> Value? { slotOfKey[key].flatMap { slots[Int($0)].value } }

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
        for index in range.clamped(to: slots.indices) {
            guard slots[index].value.map(isDoomed) ?? false, let entry = free(Number(index)) else { continue }
            slotOfKey[entry.key] = nil
            removed.append(entry.value)
        }
        return removed
    }

    // MARK: Slots

    /// The slot that is known for a key, or a free one that is from now on.
    private mutating func slot(for key: Key) -> Number {
        let free = firstFree == .none ? Number(slots.count) : firstFree
        let slot = Self.claim(&slotOfKey[key, default: .none], or: free)
        guard slot == free else { return slot }
        if firstFree == .none {
            appendSlot(key)
        } else {
            firstFree = slots[Int(slot)].older
            keysOfSlots[Int(slot)] = key
        }
        return slot
    }

    /// One visit of the dictionary, for a known key as for a new one.
    private static func claim(_ known: inout Number, or free: Number) -> Number {
        if known == .none { known = free }
        return known
    }

    private mutating func appendSlot(_ key: Key) {
        slots.append(Slot())
        keysOfSlots.append(key)
    }

    /// Empties a slot that stays in use by its key, and takes it out of the order.
    private mutating func takeValue(of slot: Number) -> Value? {
        guard let value = slots[Int(slot)].value.take() else { return nil }
        unlink(slot)
        totalCost -= slots[Int(slot)].cost
        return value
    }

    /// Gives a slot without a value one, in front of all others.
    private mutating func fill(_ slot: Number, _ value: Value, cost: Int) {
        slots[Int(slot)].value = value
        slots[Int(slot)].cost = cost
        totalCost += cost
        linkAsNewest(slot)
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

    // MARK: For tests

    /// From the most to the least recently used, by the links in one direction.
    var entriesFromNewest: [Entry] { walk(from: newest, \.older) }
    /// The same in the other.
    var entriesFromOldest: [Entry] { walk(from: oldest, \.newer) }

    private func walk(from first: Number, _ next: KeyPath<Slot, Number>) -> [Entry] {
        var entries: [Entry] = []
        var slot = first
        while slot != .none, let key = keysOfSlots[Int(slot)], let value = slots[Int(slot)].value {
            entries.append(Entry(key: key, value: value, cost: slots[Int(slot)].cost))
            slot = slots[Int(slot)][keyPath: next]
        }
        return entries
    }
}

extension Int32 {
    /// No slot.
    fileprivate static var none: Int32 { -1 }
}
