/// The blob names of the keys that were used last.
///
/// Making a name computes two SHA-256 and makes their strings. That takes as long as everything else in a hit outside the system.
final class RecentNames: Sendable {
    private typealias Names = [Int64: (key: MemoryKey, name: BlobName)]

    private struct State {
        var naming: BlobNaming
        /// By the hashes of the keys. `Int64`, because the first dictionary with a new type of key takes a tenth of a millisecond.
        var young: Names = [:]
        var old: Names = [:]

        /// - Returns: what it forgets.
        mutating func remember(_ key: MemoryKey, as name: BlobName, hash: Int64) -> Names {
            young[hash] = (key, name)
            guard young.count >= RecentNames.generation else { return [:] }
            defer { (young, old) = ([:], young) }
            return old
        }
    }

    /// The most names of a generation; there are two. A name and a usual key take some 300 bytes.
    private static let generation = 3_000
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
        let hash = Int64(key.hashValue)
        let (naming, known) = state.withLock { ($0.naming, $0.young[hash] ?? $0.old[hash]) }
        if let known, known.key == key { return known.name }
        let name = naming.name(forKey: key.text, forcedExtension: nil, isFolding: isFolding())
        // Before the directory exists, it may not be clear whether the volume folds names.
        guard name.isCertain else { return name }
        // What it forgets is released after the lock.
        _ = state.withLock { $0.naming == naming ? $0.remember(key, as: name, hash: hash) : [:] }
        return name
    }

    var count: Int { state.withLock { $0.young.count + $0.old.count } }
}
