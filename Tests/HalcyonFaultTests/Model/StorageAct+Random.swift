extension StorageAct {
    static let keys = ["a", "b", "c", "d"]

    static func random(using generator: inout some RandomNumberGenerator) -> StorageAct {
        let by = Int.random(in: 0...1, using: &generator)
        let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        switch Int.random(in: 0..<64, using: &generator) {
        case 0..<17:
            return .store(key, .random(in: 0..<12, using: &generator), .randomIfAny(using: &generator), by: by)
        case 17: return .storeIfNew(key, .random(in: 0..<12, using: &generator), by: by)
        case 18..<28: return .read(key, .random(using: &generator), by: by)
        case 28..<30: return .pin(key, .random(using: &generator), by: by)
        case 30: return .keep(key, .random(using: &generator), by: by)
        case 31..<34: return .remove(key, by: by)
        case 34..<36:
            return .removeMatching(choices[.random(in: 0..<choices.count, using: &generator)], by: by)
        case 36..<39: return .removeExpired(by: by)
        case 39..<43: return .evict(by: by)
        case 43: return .removeAll(by: by)
        default: return randomOfTheWorld(key, by, using: &generator)
        }
    }

    private static let choices: [Choice] = [.everything, .expired, .unpinned, .small, .small]

    /// What happens around a storage.
    private static func randomOfTheWorld(
        _ key: String, _ by: Int, using generator: inout some RandomNumberGenerator
    ) -> StorageAct {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<6: return .pass([0.5, 4, 15, 60, 300, 90_000][.random(in: 0..<6, using: &generator)])
        // Odd, so that no stamp is exactly as far ahead of the clock as one may be: what then counts as later is open.
        case 6..<8:
            return .pass(
                [-1.013, -5.029, -15.057, -40.091, -3_600.003, -200_000.007][.random(in: 0..<6, using: &generator)])
        case 8..<10:
            return .setLimits(
                bytes: [0, 20, 60][.random(in: 0..<3, using: &generator)],
                entries: [0, 1, 3][.random(in: 0..<3, using: &generator)], by: by)
        case 10: return .setExpiration(.random(using: &generator), by: by)
        case 11: return .flush(by: by)
        case 12..<14: return .reopen(by: by)
        case 14: return .removeFolder
        case 15..<18:
            return .spoil(key, Damage.allCases[.random(in: 0..<Damage.allCases.count, using: &generator)])
        default: return .look
        }
    }
}

extension StorageAct.Term {
    fileprivate static func random(using generator: inout some RandomNumberGenerator) -> Self {
        let terms: [Self] = [.never, .seconds(1), .seconds(20), .seconds(100), .seconds(100_000), .expired]
        return terms[.random(in: 0..<terms.count, using: &generator)]
    }

    fileprivate static func randomIfAny(using generator: inout some RandomNumberGenerator) -> Self? {
        Bool.random(using: &generator) ? random(using: &generator) : nil
    }
}

extension StorageAct.Extension {
    fileprivate static func random(using generator: inout some RandomNumberGenerator) -> Self {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .none
        case 1: .to(.random(using: &generator))
        default: .cacheTime
        }
    }
}
