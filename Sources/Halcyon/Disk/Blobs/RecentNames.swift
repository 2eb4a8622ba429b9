/// The blob names of the keys that were used last.
///
/// Making a name computes two SHA-256 and makes their strings. That takes as long as everything else in a hit outside the system.
final class RecentNames: Sendable {
    private typealias Slot = (key: MemoryKey, name: BlobName)

    private struct State {
        var naming: BlobNaming
        /// Each key has one slot, which it takes over from any other. Their number is a power of two.
        var slots: [Slot?] = []
        private var taken = 0

        init(naming: BlobNaming) { self.naming = naming }

        func name(of key: MemoryKey, hash: Int) -> BlobName? {
            guard !slots.isEmpty, let slot = slots[hash & (slots.count - 1)], slot.key == key else { return nil }
            return slot.name
        }

        mutating func remember(_ slot: Slot, hash: Int) {
            // Early, because two keys with the same slot displace each other.
            if taken * 16 >= slots.count, slots.count < RecentNames.slotCount { grow() }
            let index = hash & (slots.count - 1)
            if slots[index] == nil { taken += 1 }
            slots[index] = slot
        }

        /// To make all slots at once would take the first lookup a tenth of a millisecond.
        private mutating func grow() {
            let former = slots
            (slots, taken) = (Array(repeating: nil, count: max(64, former.count * 8)), 0)
            for case let slot? in former { remember(slot, hash: slot.key.hashValue) }
        }
    }

    /// The most slots. A name and a usual key take some 300 bytes.
    private static let slotCount = 4_096
    /// In bytes. A key can be a whole `data:` URL.
    static let longestKey = 1_024
    private let state: Locked<State>

    init(_ naming: BlobNaming) { state = Locked(State(naming: naming)) }

    /// Names blobs in another way from now on.
    func rename(by naming: BlobNaming) {
        guard state.withLock({ $0.naming != naming }) else { return }
        // The former names are released after the lock.
        _ = state.replace(with: State(naming: naming))
    }

    /// See ``BlobNaming/name(forKey:forcedExtension:isFolding:)``.
    func name(forKey key: String, forcedExtension: String?, isFolding: @autoclosure () -> Bool) -> BlobName {
        guard forcedExtension == nil, key.utf8.count <= Self.longestKey else {
            return state.withLock { $0.naming }
                .name(forKey: key, forcedExtension: forcedExtension, isFolding: isFolding())
        }
        let key = MemoryKey(key)
        let hash = key.hashValue
        let (naming, known) = state.withLock { ($0.naming, $0.name(of: key, hash: hash)) }
        if let known { return known }
        let name = naming.name(forKey: key.text, forcedExtension: nil, isFolding: isFolding())
        // Before the directory exists, it may not be clear whether the volume folds names.
        if name.isCertain {
            state.withLock { if $0.naming == naming { $0.remember((key, name), hash: hash) } }
        }
        return name
    }

    var count: Int { state.withLock { $0.slots.lazy.filter { $0 != nil }.count } }
}
