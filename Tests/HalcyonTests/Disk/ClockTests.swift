import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

extension BlobName {
    fileprivate init(key: String) { self.init(key: key, isHashed: true, pathExtension: nil) }
}

/// Clocks that are put back or ahead, across processes and restarts.
@Suite struct ClockTests {
    private func restartUncleanly(_ cache: CacheFixture, boot: String, clockBackBy seconds: Double) {
        // As after a power cut: nothing was recorded as settled.
        cache.reopen { environment in
            environment.boot = { boot }
            cache.clock.advance(by: -seconds)
        }
    }

    @Test(arguments: [0, 1, 9, 10, 11, 30, 59, 69, 70, 71, 300, 86_400])
    func `entries stored after an unclean restart are kept, however far the clock is behind`(seconds: Int) throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "before")
            restartUncleanly(cache, boot: "second", clockBackBy: Double(seconds))
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let other = cache.makeStorage()
            for seed in 20..<40 { try other.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            for seed in 0..<40 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed), "\(seed)") }
            // The clock is put right.
            cache.clock.advance(by: Double(seconds) + 5)
            for seed in 0..<40 { #expect(try other.value(forKey: "\(seed)") == .blob(seed), "\(seed)") }
            cache.settle()
            #expect(try cache.storage.value(forKey: "before") == nil)
        }
    }

    @Test func `a blob that cannot be unlinked after a power cut does not keep the distrust for the next reboot`()
        throws
    {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "before")
            cache.fileSystem.fail(.unlink, EACCES, times: nil, path: "/\(BlobName(key: "before").text)")
            restartUncleanly(cache, boot: "second", clockBackBy: 0)
            try cache.storage.store(value: .blob(2), forKey: "after")
            cache.settle()
            #expect(!cache.storage.store.condition.isDistrusting && !cache.storage.isCached(forKey: "before"))
            cache.clock.advance(by: 3_600)
            try cache.storage.store(value: .blob(3), forKey: "last")
            restartUncleanly(cache, boot: "third", clockBackBy: 0)
            #expect(try cache.storage.value(forKey: "after") == .blob(2))
            cache.settle()
            // What could not be unlinked waits for the daily sweep.
            cache.fileSystem.heal()
            cache.clock.advance(by: 90_000)
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            let left = try FileManager.default.contentsOfDirectory(atPath: cache.directory.path)
            #expect(!left.contains(BlobName(key: "before").text))
        }
    }

    /// The change times of files cannot be set, so the file system reports them an hour later.
    private func dateBlobsAhead(_ cache: CacheFixture) {
        cache.fileSystem.pretend { file in
            if file.kind == .regular, file.size == 100 { file.changed = file.changed.advanced(by: 3_600_000) }
        }
    }

    @Test func `after the clock was set back by days, stores have its time again`() throws {
        try withCache { cache in
            cache.clock.advance(by: 10 * 86_400)
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: -10 * 86_400)
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(try cache.storage.row(forKey: "b")?.createdAt == cache.clock.now)
        }
    }

    @Test func `after the clock was set back, files from the future are adopted and cleared`() throws {
        try withCache { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try FileManager.default.removeItem(at: cache.index)
            dateBlobsAhead(cache)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "0") == .blob(0))
            cache.settle()
            for seed in 0..<3 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(try cache.storage.totals().entries == 3)
            let orphan = cache.storage.cacheFileURL(forKey: "orphan")
            try Data.blob(4).write(to: orphan)
            try cache.storage.removeAll()
            #expect(!FileManager.default.fileExists(atPath: orphan.path))
        }
    }

    /// The clock was an hour ahead when the power failed, so the distrusted minute lies in the future, and the clock passes through it
    /// later.
    @Test func `entries stored while the clock passes through a distrusted minute are kept`() throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "before")
            restartUncleanly(cache, boot: "second", clockBackBy: 3_600)
            try cache.storage.store(value: .blob(2), forKey: "a")
            cache.settle()
            for step in 0..<8 {
                cache.clock.advance(by: step == 0 ? 3_500 : 20)
                try cache.storage.store(value: .blob(step), forKey: "step \(step)")
                cache.settle()
                for past in 0...step { #expect(cache.storage.isCached(forKey: "step \(past)"), "\(past) at \(step)") }
            }
        }
    }

    /// As on a board whose clock has no battery, before a server tells it the time.
    @Test func `a clean while the clock is still behind after the start of the machine makes no entry expire`() throws {
        try withCache { cache in
            for seed in 0..<5 {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .days(7))
                cache.clock.advance(by: 1)
            }
            cache.environment.uptime = { 60_000 }
            cache.clock.set(by: -30 * 86_400)
            cache.reopen()
            #expect(try cache.storage.removeExpiredValues() == [])
            cache.clock.set(by: 30 * 86_400)
            #expect(try cache.storage.removeExpiredValues() == [])
            _ = try cache.storage.store.evictor.evict(downTo: Totals(entries: 2, bytes: .max))
            for seed in 0..<5 { #expect(cache.storage.isCached(forKey: "\(seed)") == (seed >= 3), "\(seed)") }
        }
    }

    @Test func `entries that were used while the clock was ahead are evicted in their turn`() throws {
        try withCache(configure: { $0.countLimit = 4 }) { cache in
            func store(_ keys: [String]) throws {
                for key in keys {
                    try cache.storage.store(value: .blob(1), forKey: key)
                    cache.clock.advance(by: 1)
                }
                _ = try cache.storage.removeSizeExceededValues()
            }
            cache.clock.set(by: 86_400)
            try store(["ahead 0", "ahead 1"])
            cache.clock.set(by: -86_400)
            try store(["a", "b", "c"])
            #expect(["ahead 0", "ahead 1"].allSatisfy { cache.storage.isCached(forKey: $0) })
            try store(["d", "e", "f"])
            #expect(try cache.storage.entries().entries.map(\.key).sorted { $0 ?? "" < $1 ?? "" } == ["e", "f"])
        }
    }

    @Test func `validators do not describe bytes that are stored later, at the same time of a clock that was put back`()
        throws
    {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a", attributes: .init(validators: .init(etag: "\"1\"")))
            cache.clock.advance(by: 1_000)
            try storage.store(value: .blob(2), forKey: "a")
            cache.clock.advance(by: -1_000)
            try storage.store(value: .blob(3), forKey: "a")
            #expect(try storage.entry(forKey: "a")?.validators == nil)
        }
    }

    @Test func `a clock that is put back far during a clear removes nothing that is stored afterwards`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "before")
            let clearing = try Clearing(of: cache.storage.store)
            cache.clock.advance(by: -1_000)
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try clearing.remove { BlobName.isBlobOrLegacyName($0, isHashed: true) }
            for seed in 0..<3 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(!cache.storage.isCached(forKey: "before"))
            try cache.storage.removeAll()
            #expect(try cache.storage.totals().entries == 0)
        }
    }

    @Test(arguments: [1, 30, 69, 70, 100, 150, 1_000])
    func `a clock that is put back after the restart drops nothing`(seconds: Int) throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "before")
            restartUncleanly(cache, boot: "second", clockBackBy: -100)
            _ = try cache.storage.totalSize()
            cache.settle()
            // A storage that no longer knows of the restart.
            let other = cache.makeStorage()
            cache.clock.advance(by: -Double(100 + seconds))
            for (seed, storage) in [cache.storage, other, cache.storage, other].enumerated() {
                try storage.store(value: .blob(seed), forKey: "\(seed)")
                cache.settle()
            }
            for seed in 0..<4 {
                #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed), "\(seed)")
                #expect(try other.value(forKey: "\(seed)") == .blob(seed), "\(seed)")
            }
        }
    }

    /// The user cannot set the time since boot, so only its last minute is distrusted.
    @Test(arguments: [-90_000.0, -30, 0, 30, 90_000])
    func `a clock that is set drops nothing that was stored more than a minute before`(seconds: Double) throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "old", expiration: .never)
            cache.clock.advance(by: 61)
            cache.clock.set(by: seconds)
            try cache.storage.store(value: .blob(2), forKey: "late", expiration: .never)
            cache.clock.set(by: -seconds)
            cache.storage.store.close()
            restartUncleanly(cache, boot: "second", clockBackBy: 0)
            cache.settle()
            #expect(try cache.storage.value(forKey: "old") == .blob(1))
            #expect(try cache.storage.value(forKey: "late") == nil)
            try cache.storage.store(value: .blob(3), forKey: "new")
            cache.reopen()
            #expect(try cache.storage.value(forKey: "new") == .blob(3))
        }
    }

    /// An open app, and an extension that assumes a restart, while the app continues to store.
    @Test func `entries stored while another process sees another boot are not trusted after a power cut`()
        throws
    {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .never)
            cache.settle()
            var environment = cache.environment
            environment.boot = { "unknown" }
            let other = DiskStorage.Backend<Data>(
                noThrowConfig: cache.config, creatingDirectory: false, environment: environment)
            _ = try other.value(forKey: "a")
            other.store.housekeepingWait()
            try cache.storage.store(value: .blob(2), forKey: "b", expiration: .never)
            #expect(try cache.storage.value(forKey: "b") == .blob(2))
            cache.storage.store.close()
            other.store.close()
            restartUncleanly(cache, boot: "second", clockBackBy: 0)
            cache.settle()
            #expect(try cache.storage.value(forKey: "b") == nil)
        }
    }

    /// After a minute or two: before and after the system has written the stored files.
    @Test(arguments: [30.0, 61])
    func `a cache that is closed a minute after its last store is trusted, whatever the clock says`(seconds: Double)
        throws
    {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .never)
            cache.clock.advance(by: seconds)
            cache.clock.set(by: -86_400)
            cache.storage.store.close()
            restartUncleanly(cache, boot: "second", clockBackBy: 0)
            cache.settle()
            #expect(try cache.storage.value(forKey: "a") == (seconds > 60 ? .blob(1) : nil))
        }
    }

    /// An app and its extension after a restart: one has swept the folder, the other has not yet.
    @Test(arguments: [0, 30, 60])
    func `entries that a process stores after its sweep survive the sweep of another process`(seconds: Int) throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "before")
            cache.storage.store.close()
            cache.environment.boot = { "second" }
            cache.clock.advance(by: -Double(seconds))
            let late = DiskStorage.Backend<Data>(
                noThrowConfig: cache.config, creatingDirectory: false, environment: cache.environment)
            late.store.housekeeping.sweeps.queue.suspend()
            _ = try late.value(forKey: "before")
            cache.reopen()
            cache.settle()
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            late.store.housekeeping.sweeps.queue.resume()
            late.store.housekeepingWait()
            for seed in 0..<5 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            late.store.close()
        }
    }

    /// When the power failed, an overwrite had exchanged the files, and its row had not reached the disk. The process that then opens the
    /// index cannot settle it at once.
    @Test func `an entry that is trusted is recovered from staging after a refused look`() throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "a")
            let (name, row) = (
                cache.storage.blobName(forKey: "a", forcedExtension: nil),
                try #require(try cache.storage.row(forKey: "a"))
            )
            cache.clock.advance(by: 86_400)
            try cache.storage.store(value: .blob(2), forKey: "latest")
            cache.storage.store.close()
            let file = cache.storage.cacheFileURL(forKey: "a")
            try FileManager.default.moveItem(
                at: file, to: cache.metadata.appendingPathComponent("staging/\(name.rowID).\(row.token)"))
            try Data.blob(9).write(to: file)
            cache.fileSystem.fail(.list, EMFILE, times: nil, path: "staging")
            restartUncleanly(cache, boot: "second", clockBackBy: 0)
            try cache.storage.open()
            cache.settle()
            cache.fileSystem.heal()
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    /// When the power failed, the row had reached the disk, but not the blob's name.
    @Test func `distrusted blobs are not recovered from staging either`() throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "a")
            let name = cache.storage.blobName(forKey: "a", forcedExtension: nil)
            let row = try #require(try cache.storage.row(forKey: "a"))
            cache.storage.store.close()
            try FileManager.default.moveItem(
                at: cache.storage.cacheFileURL(forKey: "a"),
                to: cache.metadata.appendingPathComponent("staging/\(name.rowID).\(row.token)"))
            restartUncleanly(cache, boot: "second", clockBackBy: 0)
            cache.settle()
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == nil)
            // A sweep may have deleted it already.
            try? FileManager.default.removeItem(
                at: cache.metadata.appendingPathComponent("staging/\(name.rowID).\(row.token)"))
        }
    }

    @Test func `reads of another process after a burst of stores count as later`() throws {
        try withCache(configure: { $0.countLimit = 1_999 }) { cache in
            for seed in 0..<2_000 {
                try cache.storage.store(value: .blob(seed, count: 8), forKey: "\(seed)")
                // Eleven stores in a millisecond.
                if seed.isMultiple(of: 11) { cache.clock.advance(by: 0.001) }
            }
            cache.clock.advance(by: 0.1)
            let other = cache.makeStorage()
            for seed in 0..<100 { _ = try other.value(forKey: "\(seed)") }
            other.store.close()
            #expect(try cache.storage.removeSizeExceededValues().count == 1_001)
            for seed in 0..<100 { #expect(cache.storage.isCached(forKey: "\(seed)"), "\(seed)") }
        }
    }

    @Test func `stores of another process after a burst of reads count as later`() throws {
        try withCache(configure: { $0.countLimit = 299 }) { cache in
            for seed in 0..<250 { try cache.storage.store(value: .blob(seed, count: 8), forKey: "\(seed)") }
            for _ in 0..<40 { for seed in 0..<250 { _ = try cache.storage.value(forKey: "\(seed)") } }
            cache.storage.store.flushAccessLogNow()
            cache.clock.advance(by: 0.101)
            let other = cache.makeStorage()
            for seed in 250..<300 { try other.store(value: .blob(seed, count: 8), forKey: "\(seed)") }
            #expect(try other.removeSizeExceededValues().count == 151)
            for seed in 250..<300 { #expect(other.isCached(forKey: "\(seed)"), "\(seed)") }
        }
    }

    // MARK: Distrust after a power failure

    @Test func `an entry stored anew while distrusted ones are dropped stays`() throws {
        var tuning = Tuning.patient
        tuning.flushBatchSize = 1
        try withCache(tuning: tuning) { cache in
            cache.environment.boot = { "first" }
            for seed in 0..<2 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let (action, isDone): (Locked<(@Sendable () -> Void)?>, Locked<Bool>) = (Locked(nil), Locked(false))
            cache.reopen { environment in
                environment.boot = { "second" }
                environment.pause = { _ in
                    let isFirst = isDone.withLock { isDone in
                        defer { isDone = true }
                        return !isDone
                    }
                    guard isFirst else { return }
                    while action.withLock({ $0 == nil }) { usleep(500) }
                    action.withLock { $0 }?()
                }
            }
            let (storage, dropped) = (cache.storage, Locked<Int64>(0))
            action.withLock {
                $0 = {
                    dropped.withLock { $0 = 2 - ((try? storage.store.index.read { try $0.totals().entries }) ?? 0) }
                    for seed in 0..<2 { try? storage.store(value: .blob(seed + 5), forKey: "\(seed)") }
                }
            }
            cache.settle()
            #expect(dropped.withLock { $0 } == 1)
            for seed in 0..<2 { #expect(try storage.value(forKey: "\(seed)") == .blob(seed + 5)) }
            action.withLock { $0 = nil }
        }
    }

    @Test func `a blob with its key as its name is distrusted until it is unlinked`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "before")
            cache.fileSystem.fail(.unlink, EACCES, times: nil, path: "/before")
            cache.reopen { $0.boot = { "second" } }
            cache.settle()
            #expect(cache.storage.store.condition.isDistrusting)
            #expect(try cache.storage.value(forKey: "before") == nil)
            cache.fileSystem.heal()
            cache.reopen()
            cache.settle()
            #expect(!FileManager.default.fileExists(atPath: cache.storage.cacheFileURL(forKey: "before").path))
        }
    }

    @Test func `distrust ends with the sweep of this process, not with that of another one`() {
        let (condition, now) = (FolderCondition(), Timestamp(milliseconds: 1_000))
        var state = IndexState()
        state.distrusted = now...now
        condition.update(from: state)
        state.distrusted = nil
        condition.update(from: state)
        #expect(condition.isDistrusting)
        condition.endDistrust()
        #expect(!condition.isDistrusting)
    }

    @Test func `in a later boot the stores of an earlier one are written`() {
        var state = IndexState()
        (state.boots, state.storedAt) = (2, Timestamp(Date()))
        state.storedIn = BootTime(boot: 1, uptime: 1_000_000)
        #expect(state.isWritten(at: state.storedAt, uptime: 5, writeBackTime: 60_000))
        state.storedIn?.boot = 2
        #expect(!state.isWritten(at: state.storedAt, uptime: 1_000_005, writeBackTime: 60_000))
    }

    @Test func `a clear hides what was stored before the clock was set back, and its pin is not inherited`() throws {
        try withCache { cache in
            for key in ["a", "b"] {
                try cache.storage.store(value: .blob(1), forKey: key, attributes: .init(isPinned: true))
            }
            cache.clock.advance(by: -86_400)
            let remove = try cache.storage.beginRemovingAll()
            #expect(try cache.storage.value(forKey: "b") == nil)
            try cache.storage.store(value: .blob(2), forKey: "a")
            try remove()
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == false)
        }
    }

    @Test func `a process that has recorded no boot does not record that earlier stores are on disk`() throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .never)
            cache.storage.store.close()
            // The next process ends before its sweep.
            cache.environment.boot = { "second" }
            let brief = DiskStorage.Backend<Data>(
                noThrowConfig: cache.config, creatingDirectory: false, environment: cache.environment)
            brief.store.housekeeping.sweeps.queue.suspend()
            cache.clock.advance(by: 120)
            #expect(!brief.isCached(forKey: "b"))
            brief.store.close()
            brief.store.housekeeping.sweeps.queue.resume()
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }
}
