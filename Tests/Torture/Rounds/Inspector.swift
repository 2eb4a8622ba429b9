import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonTestSupport

/// Inspects an idle cache after processes have used it: every key, the check, a repair, and whether it still works.
final class Inspector {
    private let worker: Worker
    private let log: String
    private(set) var violations: [Violation] = []

    /// The allowed findings of a check: a process that is killed between two steps leaves files, and nothing else.
    enum Allowance { case nothing, leftovers }

    init(_ workplace: Workplace, cache folder: URL, keys: KeySpace, world: World = World()) throws {
        let number = workplace.nextWorker()
        log = workplace.logPath(of: number)
        let cache = Cache(folder: folder, try world.change())
        worker = Worker(number: number, keys: keys, cache: cache, journal: try Journal(path: log))
    }

    /// - Parameters:
    ///   - chronicle: receives the lookups.
    ///   - generator: decides whether the first lookups run before or after the work that follows an opening.
    /// - Returns: the current contents.
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
        judge(try checkAfterRepair(), allowing: .nothing)
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

    /// A staged file that comes of age between the repair and the check is left over for the next repair.
    private func checkAfterRepair() throws -> CheckReport {
        _ = try worker.cache.storage.check(repair: true)
        let report = try worker.cache.storage.check()
        guard report.staleStaged > 0 else { return report }
        _ = try worker.cache.storage.check(repair: true)
        return try worker.cache.storage.check()
    }

    /// First checks whether a value exists, then reads it: the verifier judges both answers like all others.
    @discardableResult
    private func lookAtAll() throws -> [String: StoreID] {
        var found: [String: StoreID] = [:]
        for key in worker.keys.all {
            try worker.perform(.isCached(key: key))
            if case .hit(let store?) = try worker.perform(.value(key: key)) { found[key] = store }
        }
        return found
    }

    /// The connection that closes last removes the log, and here all other processes have ended. In optimized code, as in this program,
    /// connections may close in another order than the source suggests.
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
        guard !rest.isClean || !rest.foreignFiles.isEmpty else { return }
        violations.append(Violation(.unsound, "\(report)"))
    }
}
