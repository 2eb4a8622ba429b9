/// The blob names of the keys that were used last.
///
/// Making a name computes two SHA-256 and makes their strings. That takes as long as everything else in a hit outside the system.
final class RecentNames: Sendable {
    private typealias Slot = (key: MemoryKey, name: BlobName)

    private struct State {
        var naming: BlobNaming
        /// Each key has one slot, which it takes over from any other. A part is made at its first name: to make all of them would take
        /// the first lookup a tenth of a millisecond.
        var parts: [[Slot?]] = Array(repeating: [], count: RecentNames.partCount)

        func name(of key: MemoryKey, at index: Int) -> BlobName? {
            let (slot, number) = index.quotientAndRemainder(dividingBy: RecentNames.partCount)
            guard !parts[number].isEmpty, let known = parts[number][slot], known.key == key else { return nil }
            return known.name
        }

        mutating func remember(_ name: Slot, at index: Int) {
            let (slot, number) = index.quotientAndRemainder(dividingBy: RecentNames.partCount)
            if parts[number].isEmpty {
                parts[number] = Array(repeating: nil, count: RecentNames.slotCount / RecentNames.partCount)
            }
            parts[number][slot] = name
        }
    }

    /// A power of two. A name and a usual key take some 300 bytes.
    private static let slotCount = 4_096
    private static let partCount = 64
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

    var count: Int { state.withLock { $0.parts.lazy.joined().filter { $0 != nil }.count } }
}
