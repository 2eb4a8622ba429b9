import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

/// A cache on a disk whose power fails again and again, and the contents that are allowed each time.
///
/// One thread and one random seed, so a run can be repeated.
final class PowerCutRun {
    /// A state of a key, its time, and whether the cache acknowledged it before the power failed.
    struct Outcome {
        let blob: Blob?
        let at: Timestamp
        let isAcknowledged: Bool
        /// It was present after an earlier cut.
        var isOnDisk = false
    }

    struct Blob: Equatable {
        let seed: Int
        let count: Int
        /// nil: never.
        let expiresAt: Timestamp?
        var data: Data { .blob(seed, count: count) }
    }

    /// The state of the folder when the first life begins.
    enum Beginning: CaseIterable { case nothing, kingfisherFolder, olderIndex }

    /// Broken promises, each with details.
    private(set) var violations: [String] = []
    /// How many operations and cuts there were.
    private(set) var operations = 0
    private(set) var cuts = 0
    /// Values that were found after a cut, and those that were lost.
    private(set) var found = 0
    private(set) var missed = 0

    private let folder: TemporaryFolder
    private let clock = ManualClock(Date(timeIntervalSinceNow: -30 * 86_400))
    private let disk: PowerCutDisk
    private var generator: SeededGenerator
    private var openStorage: DiskStorage.Backend<Data>?
    private var outcomes: [String: [Outcome]] = [:]
    private var stores: [Timestamp] = []
    private var cutAt: Timestamp
    private var boot = 0
    private let namesAreOrdered: Bool
    private let tuning: Tuning
    private let keys = (0..<12).map { "https://example.com/\($0).jpg" }

    init(
        seed: UInt64, _ beginning: Beginning = .nothing, namesAreOrdered: Bool = true,
        tuning: Tuning = PowerCutRun.tuning
    ) throws {
        generator = SeededGenerator(seed: seed)
        self.namesAreOrdered = namesAreOrdered
        self.tuning = tuning
        folder = try TemporaryFolder()
        disk = try PowerCutDisk(folder, clock: clock)
        cutAt = clock.now
        if beginning == .kingfisherFolder { try fillAsKingfisherDoes() }
        open()
        if beginning == .olderIndex { try fillAsVersion1Does() }
        // A volume without any order may have lost even the directory of the index.
        guard !namesAreOrdered else { return }
        _ = try storage.totalSize()
        clock.advance(by: 60)
    }

    private func fillAsKingfisherDoes() throws {
        let directory = disk.directory.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.power")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (seed, key) in keys.prefix(6).enumerated() {
            let blob = Blob(seed: seed, count: 5_000, expiresAt: nil)
            let name = BlobName(key: key, isHashed: true, pathExtension: nil).text
            try blob.data.write(to: directory.appendingPathComponent(name))
            outcomes[key] = [Outcome(blob: blob, at: clock.now, isAcknowledged: true, isOnDisk: true)]
        }
        try disk.takeStock()
        // Adopted files get the time of their last change, which must not lie in the last minute.
        clock.advance(by: 3_600)
    }

    private func fillAsVersion1Does() throws {
        for (seed, key) in keys.prefix(6).enumerated() {
            let blob = Blob(seed: seed, count: 5_000, expiresAt: nil)
            try storage.store(value: blob.data, forKey: key, expiration: .never)
            outcomes[key] = [Outcome(blob: blob, at: clock.now, isAcknowledged: true, isOnDisk: true)]
        }
        clock.advance(by: 3_600)
        storage.store.close()
        try OlderIndex.make(version: 1, at: storage.store.blobs.indexPath)
        try disk.takeStock()
        open()
    }

    /// The log is copied into the database often, so that cuts fall into it.
    static var tuning: Tuning {
        var tuning = Tuning.patient
        tuning.checkpointFrames = 30
        return tuning
    }

    private func open() {
        var environment = StorageEnvironment()
        environment.fileSystem = disk.fileSystem
        environment.vfs = disk.vfs
        environment.isShared = false
        environment.tuning = tuning
        environment.now = { [clock] in clock.now }
        environment.uptime = { [clock] in clock.uptime }
        environment.boot = { [boot] in "boot \(boot)" }
        environment.warn = { _ in }
        openStorage = DiskStorage.Backend(
            noThrowConfig: DiskStorage.Config(name: "power", sizeLimit: 60_000, directory: disk.directory),
            creatingDirectory: true, environment: environment)
    }

    private var storage: DiskStorage.Backend<Data> {
        guard let openStorage else { preconditionFailure("open() comes first") }
        return openStorage
    }

    deinit { openStorage?.store.close() }

    // MARK: A life

    /// Works until the power fails during an operation, and then checks what is left.
    func liveOnce() throws {
        disk.cutPower(afterCalls: .random(in: 1...(Bool.random(using: &generator) ? 400 : 4_000), using: &generator))
        while !disk.isOff { step() }
        cuts += 1
        cutAt = clock.now
        storage.store.close()
        try disk.restore(PowerCut(at: cutAt, namesAreOrdered: namesAreOrdered), using: &generator)
        try recover()
        try examine()
    }

    /// Opens the cache after a cut; sometimes the power fails again during the opening.
    private func recover() throws {
        clock.advance(by: .random(in: 1...100, using: &generator))
        boot += 1
        open()
        guard Int.random(in: 0..<3, using: &generator) == 0 else { return }
        disk.cutPower(afterCalls: .random(in: 1...100, using: &generator))
        _ = try? storage.value(forKey: anyKey(), extendingExpiration: .none)
        storage.store.housekeepingWait()
        disk.cutPower(afterCalls: nil)
        guard disk.isOff else { return }
        cuts += 1
        storage.store.close()
        // Only what the opening itself has changed can be lost.
        try disk.restore(PowerCut(at: clock.now, namesAreOrdered: namesAreOrdered), using: &generator)
        try recover()
    }

    private func step() {
        operations += 1
        clock.advance(by: Bool.random(using: &generator) ? 0.01 : .random(in: 0...40, using: &generator))
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<50: store()
        case ..<62: load()
        case ..<72: remove()
        case ..<78: removeMany { try $0.removeSizeExceededValues() }
        case ..<82: removeMany { try $0.removeExpiredValues() }
        case ..<83: removeAll()
        case ..<90: storage.store.flushAccessLogNow()
        case ..<95: storage.store.housekeepingWait()
        default: reopen()
        }
    }

    private func store() {
        let key = anyKey()
        let seconds: Double? = Bool.random(using: &generator) ? nil : .random(in: 30...1_000, using: &generator)
        let blob = Blob(
            seed: operations, count: [1, 100, 4_096, 20_000].randomElement(using: &generator) ?? 1,
            expiresAt: seconds.map { clock.now.advanced(by: Int64($0 * 1000)) })
        attempt([key: blob]) {
            try $0.store(value: blob.data, forKey: key, expiration: seconds.map { .seconds($0) } ?? .never)
        }
        if !disk.isOff { stores.append(clock.now) }
    }

    private func load() {
        let key = anyKey()
        let data = try? storage.value(forKey: key, extendingExpiration: .none)
        let blob = outcomes[key]?.last?.blob.flatMap { isExpired($0) ? nil : $0 }
        if data != blob?.data, !disk.isOff { complain("not the value of before, with the power on", key) }
    }

    private func remove() {
        let key = anyKey()
        attempt([key: nil]) { try $0.remove(forKey: key) }
    }

    private func removeAll() {
        attempt(Dictionary(uniqueKeysWithValues: keys.map { ($0, nil) })) { try $0.removeAll() }
    }

    private func removeMany(_ operation: (DiskStorage.Backend<Data>) throws -> [URL]) {
        // If it does not return, it is unknown which entries it removed.
        let removed = Result { try operation(storage) }
        let names = (try? removed.get())?.map(\.lastPathComponent)
        let isAcknowledged = !disk.isOff && names != nil
        for key in keys where names?.contains(storage.cacheFileURL(forKey: key).lastPathComponent) ?? true {
            note(nil, for: key, isAcknowledged: isAcknowledged)
        }
    }

    private func reopen() {
        storage.store.close()
        open()
    }

    private func anyKey() -> String { keys.randomElement(using: &generator) ?? keys[0] }

    private func attempt(_ changes: [String: Blob?], _ operation: (DiskStorage.Backend<Data>) throws -> Void) {
        let result = Result { try operation(storage) }
        let isAcknowledged = (try? result.get()) != nil
        if !isAcknowledged, !disk.isOff { violations.append("refused while the power was on: \(result)") }
        for (key, blob) in changes { note(blob, for: key, isAcknowledged: isAcknowledged) }
    }

    private func note(_ blob: Blob?, for key: String, isAcknowledged: Bool) {
        outcomes[key, default: []].append(Outcome(blob: blob, at: clock.now, isAcknowledged: isAcknowledged))
    }

    // MARK: After a cut

    private func examine() throws {
        for look in 0..<2 {
            for key in keys { try examine(key, look: look) }
            storage.store.housekeepingWait()
            storage.store.housekeepingWait()
        }
        try examineFolder()
        for key in keys { try begin(key) }
    }

    private func examine(_ key: String, look: Int) throws {
        let data = try storage.value(forKey: key, extendingExpiration: .none)
        // During the first round of lookups the work after the opening still runs: between any two lookups it drops entries, unlinks files
        // without bytes and adopts others.
        if look > 0, storage.isCached(forKey: key) != (data != nil) {
            complain("isCached says another thing than \(data?.count as Any)", key, look)
        }
        let history = outcomes[key] ?? []
        guard let data else {
            if namesAreOrdered, history.last.map(mustBeThere) == true { complain("lost", key, look) }
            return
        }
        let written = history.lastIndex { $0.isAcknowledged && isWritten($0) } ?? 0
        if history[written...].contains(where: { $0.blob?.data == data }) { return }
        let isOld = history.contains { $0.blob?.data == data }
        if !isOld { complain("wrong bytes (\(data.count))", key, look) }
        if isOld, namesAreOrdered { complain("a value that was gone for long", key, look) }
    }

    /// The current contents, with which the next life begins.
    private func begin(_ key: String) throws {
        let data = try storage.value(forKey: key, extendingExpiration: .none)
        let last = outcomes[key]?.last { $0.blob?.data == data }
        outcomes[key] = [
            Outcome(blob: last?.blob, at: last?.at ?? cutAt, isAcknowledged: true, isOnDisk: true)
        ]
        if data == nil { missed += 1 } else { found += 1 }
    }

    /// The disk had time to write it.
    private func isWritten(_ outcome: Outcome) -> Bool { outcome.isOnDisk || cutAt - outcome.at > 30_000 }

    /// It was stored more than a minute before another store, the disk had written both, and it has not expired.
    private func mustBeThere(_ outcome: Outcome) -> Bool {
        guard let blob = outcome.blob, outcome.isAcknowledged, isWritten(outcome), !isExpired(blob) else {
            return false
        }
        let latest = stores.last { cutAt - $0 > 30_000 }
        return outcome.isOnDisk || latest.map { $0 - outcome.at > 60_000 + StampSource.tolerance } == true
    }

    private func isExpired(_ blob: Blob) -> Bool { blob.expiresAt.map { $0 <= clock.now } ?? false }

    private func complain(_ text: String, _ key: String, _ look: Int = 0) {
        violations.append("\(text): \(key), cut \(cuts), look \(look), operation \(operations), \(outcomes[key] ?? [])")
    }

    private func examineFolder() throws {
        let report = try storage.check(repair: true)
        if !report.integrityFindings.isEmpty { violations.append("integrity: \(report.integrityFindings)") }
        let after = try storage.check()
        if !after.isSound { violations.append("unsound after a repair: \(after)") }
        // Of a new index, the disk may have kept only the length.
        let damaged = FileManager.default.contents(atPath: storage.store.blobs.indexPath + ".damaged")
        if let damaged, damaged.contains(where: { $0 != 0 }) { violations.append("the index was taken for damaged") }
        try storage.store(value: .blob(1), forKey: "after")
        if try storage.value(forKey: "after") != .blob(1) { violations.append("no service") }
    }
}
