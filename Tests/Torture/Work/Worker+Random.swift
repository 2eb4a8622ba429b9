import HalcyonTestSupport

extension Worker {
    /// - Parameter isWanted: called before each operation.
    func work(_ mix: Mix, seed: UInt64, while isWanted: (_ done: Int) -> Bool) throws {
        var generator = SeededGenerator(seed: seed)
        var done = 0
        while isWanted(done) {
            disk?.plan(using: &generator)
            try perform(operation(of: mix, using: &generator))
            try logWarnings()
            done += 1
        }
    }

    private func operation(of mix: Mix, using generator: inout SeededGenerator) -> CacheOperation {
        let key = key(using: &generator)
        switch mix.kind(using: &generator) {
        case .store: return .store(key: key, length: mix.length(using: &generator), isLasting: true)
        // A pinned entry never expires, so it would not have a short life.
        case .storeBriefly:
            return .store(key: key, length: mix.length(using: &generator), isLasting: keys.isPinned(key))
        case .remove: return .remove(key: key)
        case .value: return .value(key: key)
        case .isCached: return .isCached(key: key)
        case .update: return .update(key: key)
        case .evict: return .evict
        case .expire: return .expire
        case .removeAll: return .removeAll
        case .page: return .page
        case .totals: return .totals
        case .reopen: return .reopen
        }
    }

    private func key(using generator: inout SeededGenerator) -> String {
        let index = Int.random(in: 0..<keys.pinned.count + keys.loose.count, using: &generator)
        return index < keys.pinned.count ? keys.pinned[index] : keys.loose[index - keys.pinned.count]
    }
}
