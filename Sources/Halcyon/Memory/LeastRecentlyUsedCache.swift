/// Keys and values in the order of their last use, within limits. A pure value: the lock is its owner's.
///
/// A dictionary leads from a key to a slot; slots lie in one array and are linked by their numbers, so that an entry is
/// no object of its own. Freed slots are used again before the array grows.
///
/// - Complexity: O(1) for each entry stored, used, removed or evicted (amortized, as the dictionary and the array are).
struct LeastRecentlyUsedCache<Key: Hashable, Value> {
    struct Entry {
        let key: Key
        var value: Value
        var cost: Int
    }

    /// What a store has pushed out.
    struct Displaced {
        /// The value that was under the same key.
        var replaced: Value?
        /// Entries evicted for room, least recently used first; the new one itself if it is dearer than the limit.
        var evicted: [Entry] = []
    }

    private struct Slot {
        /// nil: the slot is free, and `older` is the next free one.
        var entry: Entry?
        var newer = Self.none
        var older = Self.none

        static var none: Int32 { -1 }
    }

    private var slotOfKey: [Key: Int32] = [:]
    private var slots: [Slot] = []
    private var newest = Slot.none
    private var oldest = Slot.none
    private var firstFree = Slot.none

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
        let entry = Entry(key: key, value: value, cost: max(0, cost))
        guard entry.cost <= limits.effectiveTotalCost else {
            return Displaced(replaced: remove(key), evicted: [entry])
        }
        let slot = Self.claim(&slotOfKey[key, default: Slot.none], in: &slots, firstFree: &firstFree)
        let replaced = take(slot)
        let evicted = evict(leavingRoomFor: entry.cost)
        totalCost += entry.cost
        slots[Int(slot)].entry = entry
        linkAsNewest(slot)
        return Displaced(replaced: replaced, evicted: evicted)
    }

    /// The value under a key, if it passes; then it becomes the most recently used.
    mutating func use(_ key: Key, where isUsable: (Value) -> Bool) -> Value? {
        guard let slot = slotOfKey[key], let value = slots[Int(slot)].entry?.value, isUsable(value) else { return nil }
        if slot != newest {
            unlink(slot)
            linkAsNewest(slot)
        }
        return value
    }

    /// The value under a key. Not a use.
    func peek(_ key: Key) -> Value? { slotOfKey[key].flatMap { slots[Int($0)].entry?.value } }

    mutating func remove(_ key: Key) -> Value? {
        guard let slot = slotOfKey.removeValue(forKey: key) else { return nil }
        return free(slot)?.value
    }

    // MARK: Many entries

    /// Evicts until the limits hold; least recently used first.
    mutating func evict() -> [Entry] { evict(leavingRoomFor: 0) }

    private mutating func evict(leavingRoomFor cost: Int) -> [Entry] {
        var evicted: [Entry] = []
        while oldest != Slot.none, totalCost > limits.effectiveTotalCost - cost || count > limits.effectiveCount {
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
            guard let entry = slots[index].entry, isDoomed(entry.value) else { continue }
            slotOfKey[entry.key] = nil
            _ = free(Int32(index))
            removed.append(entry.value)
        }
        return removed
    }

    // MARK: Slots

    /// The slot that is known for a key, or a free one that is from now on.
    private static func claim(_ known: inout Int32, in slots: inout [Slot], firstFree: inout Int32) -> Int32 {
        guard known == Slot.none else { return known }
        if firstFree == Slot.none {
            known = Int32(slots.count)
            slots.append(Slot())
        } else {
            known = firstFree
            firstFree = slots[Int(known)].older
        }
        return known
    }

    /// Empties a slot that stays in use by its key, and takes it out of the order.
    private mutating func take(_ slot: Int32) -> Value? {
        guard let entry = slots[Int(slot)].entry else { return nil }
        unlink(slot)
        slots[Int(slot)].entry = nil
        totalCost -= entry.cost
        return entry.value
    }

    private mutating func free(_ slot: Int32) -> Entry? {
        guard let entry = slots[Int(slot)].entry else { return nil }
        unlink(slot)
        totalCost -= entry.cost
        slots[Int(slot)] = Slot(older: firstFree)
        firstFree = slot
        return entry
    }

    // MARK: Links

    private mutating func linkAsNewest(_ slot: Int32) {
        linkCount &+= 1
        slots[Int(slot)].newer = Slot.none
        slots[Int(slot)].older = newest
        if newest == Slot.none { oldest = slot } else { slots[Int(newest)].newer = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Int32) {
        linkCount &+= 1
        let (newer, older) = (slots[Int(slot)].newer, slots[Int(slot)].older)
        if newer == Slot.none { newest = older } else { slots[Int(newer)].older = older }
        if older == Slot.none { oldest = newer } else { slots[Int(older)].newer = newer }
    }

    // MARK: For tests

    /// From the most to the least recently used, by the links in one direction.
    var entriesFromNewest: [Entry] { walk(from: newest, \.older) }
    /// The same in the other.
    var entriesFromOldest: [Entry] { walk(from: oldest, \.newer) }

    private func walk(from first: Int32, _ next: KeyPath<Slot, Int32>) -> [Entry] {
        var entries: [Entry] = []
        var slot = first
        while slot != Slot.none, let entry = slots[Int(slot)].entry {
            entries.append(entry)
            slot = slots[Int(slot)][keyPath: next]
        }
        return entries
    }
}
