import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonTestSupport

/// Looks at a cache at rest, after processes have worked on it: every key, the check, a repair, and whether it still works.
final class Inspector {
    private let worker: Worker
    private let log: String
    private(set) var violations: [Violation] = []

    /// What a check may find: a process that is killed between two steps leaves files, and nothing else.
    enum Allowance { case nothing, leftovers }

    init(_ workplace: Workplace, cache folder: URL, keys: KeySpace, world: World = World()) throws {
        let number = workplace.nextWorker()
        log = workplace.logPath(of: number)
        let cache = Cache(folder: folder, try world.change())
        worker = Worker(number: number, keys: keys, cache: cache, journal: try Journal(path: log))
    }

    /// - Parameters:
    ///   - chronicle: gets what is seen here.
    ///   - generator: decides whether the first looks come before or after what follows an opening.
    /// - Returns: what is there now.
    func inspect(
        _ chronicle: inout Chronicle, allowing allowance: Allowance, using generator: inout SeededGenerator
    ) throws -> Standing {
        try worker.perform(.open)
        if Bool.random(using: &generator) { worker.cache.settle() }
        try lookAtAll()
        worker.cache.settle()
        judge(try worker.cache.storage.check(), allowing: allowance)
        try tryToStore(using: &generator)
        worker.cache.settle()
        _ = try worker.cache.storage.check(repair: true)
        judge(try worker.cache.storage.check(), allowing: .nothing)
        let found = try lookAtAll()
        worker.cache.close()
        requireNoLog()
        try worker.logWarnings()
        chronicle.add(try WorkerLog(worker: worker.number, path: log, goneAt: MonotonicClock.now))
        return Dictionary(
            uniqueKeysWithValues: found.compactMap { key, store in
                chronicle.standing(of: store, key: key).map { (key, $0) }
            })
    }

    /// First whether a value is there, then the value: the two answers are judged like everybody's.
    @discardableResult
    private func lookAtAll() throws -> [String: StoreID] {
        var found: [String: StoreID] = [:]
        for key in worker.keys.all {
            try worker.perform(.isCached(key: key))
            if case .hit(let store?) = try worker.perform(.value(key: key)) { found[key] = store }
        }
        return found
    }

    /// The connection that is closed last removes the log: here, where all other processes have ended, that of this one. Built with
    /// optimizations, as this program is, connections may be closed in another order than the source seems to say.
    private func requireNoLog() {
        let path = worker.cache.storage.store.blobs.indexPath + "-wal"
        guard FileManager.default.fileExists(atPath: path) else { return }
        violations.append(Violation(.unsound, "closing left the index's log behind"))
    }

    private func tryToStore(using generator: inout SeededGenerator) throws {
        guard let key = worker.keys.all.randomElement(using: &generator) else { return }
        try worker.perform(.store(key: key, length: 3_000, isLasting: true))
        try worker.perform(.value(key: key))
    }

    private func judge(_ report: CheckReport, allowing allowance: Allowance) {
        var rest = report
        if allowance == .leftovers {
            rest.orphans = []
            rest.staleStaged = 0
            rest.trashed = 0
        }
        guard !rest.isClean || !rest.strangers.isEmpty else { return }
        violations.append(Violation(.unsound, "\(report)"))
    }
}
