/// The blob names of the keys that were used last.
///
/// Making a name computes two SHA-256 and makes their strings. That takes as long as everything else in a hit outside the system.
final class RecentNames: Sendable {
    private typealias Slot = (key: MemoryKey, name: BlobName)

    private struct State {
        var naming: BlobNaming
        /// Each key has one slot, which it takes over from any other. Made at the first name.
        var slots: [Slot?] = []

        func name(of key: MemoryKey, at index: Int) -> BlobName? {
            guard !slots.isEmpty, let slot = slots[index], slot.key == key else { return nil }
            return slot.name
        }

        mutating func remember(_ slot: Slot, at index: Int) {
            if slots.isEmpty { slots = Array(repeating: nil, count: RecentNames.slotCount) }
            slots[index] = slot
        }
    }

    /// A power of two. A name and a usual key take some 300 bytes.
    private static let slotCount = 4_096
    /// In bytes. A key can be a whole `data:` URL.
    private static let longestKey = 1_024
    private let state: Locked<State>

    init(_ naming: BlobNaming) { state = Locked(State(naming: naming)) }

    /// Names blobs in another way from now on.
    func rename(by naming: BlobNaming) {
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
        let index = key.hashValue & (Self.slotCount - 1)
        let (naming, known) = state.withLock { ($0.naming, $0.name(of: key, at: index)) }
        if let known { return known }
        let name = naming.name(forKey: key.text, forcedExtension: nil, isFolding: isFolding())
        // Before the directory exists, it may not be clear whether the volume folds names.
        if name.isCertain {
            state.withLock { if $0.naming == naming { $0.remember((key, name), at: index) } }
        }
        return name
    }

    var count: Int { state.withLock { $0.slots.lazy.filter { $0 != nil }.count } }
}
