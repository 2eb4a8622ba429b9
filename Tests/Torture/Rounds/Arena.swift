import Foundation
import Halcyon
import HalcyonMigrations
import HalcyonTestSupport

/// The cache of one scenario, which continues from round to round.
final class Arena {
    let scenario: Scenario
    let folder: URL
    let keys: KeySpace
    /// Its contents between two rounds.
    var standing: Standing = [:]
    private let workplace: Workplace
    private var rounds = 0

    /// A cache with adopted files is used that many times.
    private static let roundsOfAdoption = 4

    init(_ scenario: Scenario, in workplace: Workplace) {
        self.scenario = scenario
        self.workplace = workplace
        keys = scenario.keys
        folder = workplace.folder(named: scenario.rawValue)
    }

    /// Prepares the state that the round's processes begin with.
    func prepare(using generator: inout SeededGenerator) throws {
        defer { rounds += 1 }
        switch scenario {
        case .plain, .bursts, .clearing: break
        case .evicting: try fill()
        case .adopting: if rounds.isMultiple(of: Self.roundsOfAdoption) { try layOut() }
        case .upgrading:
            try fill()
            try OlderIndex.make(
                version: .random(in: 1..<MigrationFiles.all.count, using: &generator),
                at: Cache.indexPath(in: folder))
        }
    }

    /// Stores a value under each key without one.
    private func fill() throws {
        let cache = Cache(folder: folder)
        try forEachMissingKey { key, bytes in
            try cache.storage.store(
                value: bytes, forKey: key, attributes: .init(isPinned: keys.isPinned(key) ? true : nil))
        }
        cache.close()
    }

    /// A new folder of files like those of Kingfisher.
    private func layOut() throws {
        try workplace.remove(folder)
        standing = [:]
        let names = DiskStorage.Backend<Data>(noThrowConfig: Cache.config(in: folder), creatingDirectory: false)
        try FileManager.default.createDirectory(at: names.directoryURL, withIntermediateDirectories: true)
        try forEachMissingKey { key, bytes in try bytes.write(to: names.cacheFileURL(forKey: key)) }
    }

    private func forEachMissingKey(_ body: (_ key: String, _ bytes: Data) throws -> Void) throws {
        let worker = workplace.nextWorker()
        for (number, key) in keys.all.enumerated() where standing[key] == nil {
            let store = StoreID(worker: worker, number: number)
            try body(key, TortureValue.bytes(of: store, key: key, length: TortureValue.minimumLength + number % 200))
            standing[key] = .store(store, isLasting: true)
        }
    }
}
