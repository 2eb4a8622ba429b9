/// The blob names of the keys that were used last.
///
/// Making a name takes two SHA-256 and their strings, which is as long as everything else that a hit does outside the system.
final class RecentNames: Sendable {
    private struct State {
        var naming: BlobNaming
        var names = GenerationalCache<MemoryKey, BlobName>(limit: RecentNames.namesOfGeneration)
    }

    /// So at most 8,192 names of some 300 bytes each, with their keys.
    static let namesOfGeneration = 4_096
    private let state: Locked<State>

    init(_ naming: BlobNaming) { state = Locked(State(naming: naming)) }

    /// Names blobs in another way from now on.
    func rename(by naming: BlobNaming) { state.withLock { $0 = State(naming: naming) } }

    /// See ``BlobNaming/name(forKey:forcedExtension:isFolding:)``.
    func name(forKey key: String, forcedExtension: String?, isFolding: @autoclosure () -> Bool) -> BlobName {
        guard forcedExtension == nil else {
            return state.withLock { $0.naming }
                .name(forKey: key, forcedExtension: forcedExtension, isFolding: isFolding())
        }
        let key = MemoryKey(key)
        let (naming, known) = state.withLock { ($0.naming, $0.names.value(forKey: key)) }
        if let known { return known }
        let name = naming.name(forKey: key.text, forcedExtension: nil, isFolding: isFolding())
        // Whether the volume folds other names is not certain before the directory exists.
        if name.isFolded { state.withLock { if $0.naming == naming { $0.names.store(name, forKey: key) } } }
        return name
    }
}
