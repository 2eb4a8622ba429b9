import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The work of a cache in the background; the test plays the system.
@Suite struct BackgroundTests {
    /// A cache in an app group's container, as an app on iOS has it.
    private final class Fixture: @unchecked Sendable {
        // Sendable because all members are Sendable constants.
        let files: CacheFixture
        let cache: ImageCache

        init(tuning: Tuning = .patient, change: (inout StorageEnvironment) -> Void = { _ in }) throws {
            files = try CacheFixture(tuning: tuning) { config in
                config.cachePathBlock = { parent, name in parent.appendingPathComponent("Shared/AppGroup/1/\(name)") }
            }
            change(&files.environment)
            cache = ImageCache(
                memoryStorage: CacheUnderTest.memory(clock: files.clock), diskStorage: files.storage)
        }

        var index: EntryIndex { files.storage.store.index }

        func storeExpired() throws {
            try files.storage.store(value: .blob(1), forKey: "old", expiration: .seconds(1))
            files.clock.advance(by: 10)
        }

        var entryCount: Int64? { get throws { try files.storage.store.evictor.totals().entries } }

        @MainActor func clean(_ askForTime: ImageCache.BackgroundTime) { cache.cleanInBackground(askForTime) }
    }

    // MARK: Time for an app

    @Test func `with background time, the cache is cleaned, closes its folder and ends the task`()
        async throws
    {
        let fixture = try Fixture()
        try fixture.storeExpired()
        await withCheckedContinuation { continuation in
            Task { @MainActor in fixture.clean { _ in { continuation.resume() } } }
        }
        #expect(!fixture.index.isOpen)
        fixture.cache.resume()
        #expect(try fixture.entryCount == 0)
    }

    @Test func `without background time, nothing is cleaned and the folder is closed at once`() async throws {
        let fixture = try Fixture()
        try fixture.storeExpired()
        await MainActor.run { fixture.clean { _ in nil } }
        #expect(!fixture.index.isOpen)
        fixture.cache.resume()
        #expect(try fixture.entryCount == 1)
        try fixture.files.requireClean()
    }

    // MARK: When the time runs out

    @Test func `when the time runs out, a clean of a folder that is not shared ends`() async throws {
        let files = try CacheFixture()
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: files.clock), diskStorage: files.storage)
        try files.storage.store(value: .blob(1), forKey: "old", expiration: .seconds(1))
        files.clock.advance(by: 10)
        await withCheckedContinuation { continuation in
            Task { @MainActor in
                cache.cleanInBackground { onExpiration in
                    onExpiration {}
                    return { continuation.resume() }
                }
            }
        }
        #expect(try files.storage.store.evictor.totals().entries == 1)
    }

    /// A lock that another process holds, or a thread that does not return.
    private func whileWriteLocked(_ fixture: Fixture, _ body: () throws -> Void) throws {
        let other = try Connection(path: fixture.files.index.path, access: .readWriteCreate)
        try other.begin()
        defer { other.rollBack() }
        try body()
    }

    @Test func `a store that waits for another process does not delay the end of the background time`() throws {
        let fixture = try Fixture()
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        try whileWriteLocked(fixture) {
            let failed = DispatchSemaphore(value: 0)
            let code = Locked<CacheStorageError.Code?>(nil)
            Thread.detachNewThread {
                do {
                    try fixture.files.storage.store(value: .blob(2), forKey: "b")
                } catch {
                    code.withLock { $0 = (error as? KingfisherError)?.cause?.code }
                }
                failed.signal()
            }
            while fixture.index.writer.withLockIfFree({ _ in }) != nil { usleep(500) }
            fixture.cache.releaseSharedFolder(unlessResumedSince: fixture.cache.resumptionCount)
            #expect(!fixture.index.isOpen)
            failed.wait()
            #expect(code.withLock { $0 } == .suspended)
        }
        fixture.cache.resume()
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
        #expect(try fixture.files.storage.value(forKey: "b") == nil)
        try fixture.files.requireClean()
    }

    @Test func `the expiration handler does not block, and the task ends after the folder is closed`()
        async throws
    {
        let fixture = try Fixture()
        try fixture.storeExpired()
        let (isHeld, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holding = Background {
            fixture.index.writer.withLock { _ in
                isHeld.signal()
                goesOn.wait()
            }
        }
        isHeld.wait()
        let (isGivenBack, wasOpen) = (Calls<Void>(), Locked(true))
        await MainActor.run {
            // Without the call that ends the cleaning: the one at the expiration has to give the time back.
            var expire: (@MainActor @Sendable (@escaping ImageCache.End) -> Void)?
            fixture.clean { onExpiration in
                expire = onExpiration
                return {}
            }
            expire? {
                wasOpen.withLock { $0 = fixture.index.isOpen }
                isGivenBack.record(())
            }
            #expect(!fixture.index.isInService)
            // The handler needs this thread. The closing waits for a second at most, so it is not held any longer.
            #expect(isGivenBack.count == 0)
            goesOn.signal()
        }
        holding.wait()
        _ = await isGivenBack.first()
        #expect(!wasOpen.withLock { $0 })
        fixture.cache.resume()
        try fixture.files.requireClean()
    }

    @Test func `the end of the background time does not wait for the disk`() throws {
        let vfs = FaultyVFS()
        let synchronized = Locked(0)
        let thread = CallingThread()
        vfs.observe { event in
            if event.call == .sync, !event.isAfter, thread.isCurrent {
                synchronized.withLock { $0 += 1 }
            }
            return 0
        }
        let fixture = try Fixture { $0.vfs = vfs.name }
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        fixture.files.settle()
        _ = fixture.index.checkpoint()
        try fixture.files.storage.store(value: .blob(2), forKey: "b")
        let before = synchronized.withLock { $0 }
        fixture.cache.releaseSharedFolder(unlessResumedSince: fixture.cache.resumptionCount)
        #expect(!fixture.index.isOpen && synchronized.withLock { $0 } == before)
        fixture.cache.resume()
        #expect(try fixture.files.storage.value(forKey: "b") == .blob(2))
        fixture.files.storage.close()
    }

    @Test func `a long read ends when the background time runs out`() throws {
        let fixture = try Fixture()
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        let began = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let isSuspended = Locked(false)
        Thread.detachNewThread {
            do {
                try fixture.index.readAtLength { session in
                    began.signal()
                    _ = try session.connection.integer(
                        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n")
                }
            } catch {
                isSuspended.withLock { $0 = error is IndexSuspended }
            }
            ended.signal()
        }
        began.wait()
        fixture.cache.releaseSharedFolder(unlessResumedSince: fixture.cache.resumptionCount)
        ended.wait()
        #expect(isSuspended.withLock { $0 })
        fixture.cache.resume()
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }

    // MARK: Time for an extension

    /// `performExpiringActivity`.
    private final class System: @unchecked Sendable {
        // Sendable because everything in it is behind locks.
        private let grants: Locked<Bool>
        private let blocks: Locked<[@Sendable (Bool) -> Void]> = Locked([])
        private let running = Locked(0)

        init(grants: Bool) { self.grants = Locked(grants) }

        func grant(_ isGranted: Bool) { grants.withLock { $0 = isGranted } }
        var spans: Int { running.withLock { $0 } }

        func perform(_ block: @escaping @Sendable (Bool) -> Void) {
            let isGranted = grants.withLock { $0 }
            blocks.withLock { $0.append(block) }
            Thread.detachNewThread { [running] in
                running.withLock { $0 += 1 }
                block(!isGranted)
                running.withLock { $0 -= 1 }
            }
        }

        /// Tells the last span that its time has run out.
        func expire() { blocks.withLock { $0.last }?(true) }
    }

    /// With one entry, and without housekeeping that could begin a span.
    private func idleFixture(_ system: System) throws -> Fixture {
        let fixture = try Fixture { environment in
            environment.expiringActivity = system.perform
            environment.tuning.flushInterval = 3_600_000
        }
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        fixture.files.storage.store.housekeepingWait()
        while system.spans > 0 { usleep(500) }
        return fixture
    }

    @Test func `a write in a shared folder runs in a span without suspension`() throws {
        let system = System(grants: true)
        let inside = Locked([Int]())
        let fixture = try Fixture { $0.expiringActivity = system.perform }
        fixture.files.beforeCommit {
            inside.withLock { $0.append(system.spans) }
            return true
        }
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        #expect(inside.withLock { $0.allSatisfy { $0 > 0 } && !$0.isEmpty })
        while system.spans > 0 { usleep(500) }
    }

    @Test(arguments: ["heal", "reopen", "close", "suspend"])
    func `healing, reopening and closing run in a span too`(_ call: String) throws {
        let system = System(grants: true)
        let vfs = FaultyVFS()
        let (isWatched, outside) = (Locked(false), Locked(0))
        vfs.observe { event in
            let isWrite = [.write, .sync, .lock, .lockMemory].contains(event.call)
            if isWrite, isWatched.withLock({ $0 }), system.spans == 0 { outside.withLock { $0 += 1 } }
            return 0
        }
        let fixture = try Fixture { environment in
            environment.expiringActivity = system.perform
            environment.tuning.flushInterval = 3_600_000
            environment.vfs = vfs.name
        }
        let storage = fixture.files.storage
        try storage.store(value: .blob(1), forKey: "a")
        fixture.files.settle()
        while system.spans > 0 { usleep(500) }
        isWatched.withLock { $0 = true }
        switch call {
        case "heal": try fixture.index.setAsideIfDamaged()
        case "reopen":
            try FileManager.default.removeItem(at: URL(fileURLWithPath: fixture.files.index.path + "-wal"))
            #expect(fixture.index.refreshIfMoved(force: true))
        case "close": storage.close()
        default: storage.suspend()
        }
        isWatched.withLock { $0 = false }
        #expect(outside.withLock { $0 } == 0)
        storage.resume()
        #expect(try storage.value(forKey: "a") == .blob(1))
        withExtendedLifetime(vfs) { storage.close() }
    }

    @Test(arguments: [false, true])
    func `without a span, a closed or suspended index is closed at once`(isSuspended: Bool) throws {
        let system = System(grants: true)
        let fixture = try idleFixture(system)
        system.grant(false)
        isSuspended ? fixture.files.storage.suspend() : fixture.files.storage.close()
        #expect(!fixture.index.isOpen)
        system.grant(true)
        if isSuspended {
            #expect(throws: KingfisherError.self) { try fixture.files.storage.store(value: .blob(2), forKey: "b") }
            fixture.files.storage.resume()
        }
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
        try fixture.files.requireClean()
    }

    @Test func `without a span nothing is written, and the next span is enough`() throws {
        let system = System(grants: true)
        let fixture = try idleFixture(system)
        system.grant(false)
        let error = try #require(throws: KingfisherError.self) {
            try fixture.files.storage.store(value: .blob(2), forKey: "b")
        }
        #expect(error.cause?.code == .suspended)
        system.grant(true)
        try fixture.files.storage.store(value: .blob(3), forKey: "c")
        #expect(try fixture.files.storage.value(forKey: "b") == nil)
    }

    @Test func `when a span ends too early the write fails, and the next span opens the index again`() throws {
        let system = System(grants: true)
        let fixture = try idleFixture(system)
        try whileWriteLocked(fixture) {
            let failed = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? fixture.files.storage.store(value: .blob(2), forKey: "b")
                failed.signal()
            }
            while fixture.index.writer.withLockIfFree({ _ in }) != nil { usleep(500) }
            // The process is about to be suspended and gets no other span now.
            system.grant(false)
            system.expire()
            failed.wait()
            #expect(!fixture.index.isOpen)
        }
        system.grant(true)
        #expect(try fixture.files.storage.value(forKey: "b") == nil)
        try fixture.files.storage.store(value: .blob(3), forKey: "c")
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
        #expect(try fixture.files.storage.value(forKey: "c") == .blob(3))
        while system.spans > 0 { usleep(500) }
        try fixture.files.requireClean()
    }

    @Test func `a read after a span that ended too early opens the index again`() throws {
        let system = System(grants: true)
        let fixture = try idleFixture(system)
        system.grant(false)
        #expect(throws: KingfisherError.self) { try fixture.files.storage.store(value: .blob(2), forKey: "b") }
        #expect(!fixture.index.isOpen)
        #expect(try fixture.files.storage.value(forKey: "a") == nil)
        system.grant(true)
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }

    @Test func `a span does not end a requested suspension`() throws {
        let system = System(grants: true)
        let fixture = try Fixture { $0.expiringActivity = system.perform }
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        fixture.files.storage.suspend()
        system.expire()
        #expect(throws: KingfisherError.self) { try fixture.files.storage.store(value: .blob(2), forKey: "b") }
        #expect(!fixture.index.isOpen)
        fixture.files.storage.resume()
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }

    @Test func `overlapping spans count as one`() {
        let system = System(grants: true)
        let activity = ExpiringActivity(system.perform)
        #expect(activity.begin {} && activity.begin {})
        while system.spans != 1 { usleep(500) }
        activity.end()
        #expect(system.spans == 1)
        activity.end()
        while system.spans > 0 { usleep(500) }
    }

    @Test func `a span whose time has run out takes no further users`() throws {
        let system = System(grants: true)
        let activity = ExpiringActivity(system.perform)
        let calls = Locked([String]())
        func begin() -> Bool {
            activity.begin {
                calls.withLock { $0.append("expired") }
            } didBegin: {
                calls.withLock { $0.append("began") }
            }
        }
        #expect(begin())
        system.expire()
        try #require(!begin())
        activity.end()
        while system.spans > 0 { usleep(500) }
        #expect(begin())
        #expect(calls.withLock { $0 } == ["began", "expired", "began"])
        activity.end()
        while system.spans > 0 { usleep(500) }
    }

    @Test func `a span whose time runs out at once leaves no thread of the system waiting`() throws {
        let (ended, expired) = (DispatchSemaphore(value: 0), Locked(0))
        let activity = ExpiringActivity { block in
            Thread.detachNewThread {
                block(false)
                ended.signal()
            }
            // Until that thread waits.
            usleep(20_000)
            block(true)
        }
        repeat {
            #expect(!activity.begin { expired.withLock { $0 += 1 } })
            try #require(ended.wait(timeout: .now() + 60) == .success)
        } while expired.withLock { $0 } == 0
    }

    @Test(arguments: [false, true])
    func `a call that begins after the time has run out does not keep the index open`(isSuspending: Bool) throws {
        let system = System(grants: true)
        let fixture = try idleFixture(system)
        if isSuspending { fixture.index.stopWaiting() }
        // Both expirations wait for this transaction, for a second each.
        try? fixture.index.write { _ in
            system.expire()
            #expect(throws: IndexSuspended.self) { try fixture.index.whileNotSuspended {} }
        }
        #expect(!fixture.index.isOpen)
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }

    /// An interrupt ends a running statement; it does not stop one that is about to begin.
    @Test func `a transaction that outlasts the background time closes the index itself`() throws {
        let fixture = try Fixture()
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        let began = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let isReleased = Locked(false)
        Thread.detachNewThread {
            try? fixture.index.write { session in
                began.signal()
                while !isReleased.withLock({ $0 }) { _ = try session.totals() }
            }
            ended.signal()
        }
        began.wait()
        fixture.cache.releaseSharedFolder(unlessResumedSince: fixture.cache.resumptionCount)
        isReleased.withLock { $0 = true }
        ended.wait()
        #expect(!fixture.index.isOpen)
        fixture.cache.resume()
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }

    @Test func `an app that has returned to the foreground keeps its folder open`() async throws {
        let fixture = try Fixture()
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        await MainActor.run {
            fixture.clean { _ in
                fixture.cache.resumeAfterSuspension()
                return nil
            }
        }
        #expect(fixture.index.isOpen)
        // The system's answer, or the end of the time, arrives after the app has returned.
        let count = fixture.cache.resumptionCount
        fixture.cache.resumeAfterSuspension()
        fixture.cache.releaseSharedFolder(unlessResumedSince: count)
        #expect(fixture.index.isOpen)
    }

    @Test func `a folder that is not shared needs no span`() throws {
        let system = System(grants: false)
        let files = try CacheFixture()
        files.environment.expiringActivity = system.perform
        try files.storage.store(value: .blob(1), forKey: "a")
        #expect(try files.storage.value(forKey: "a") == .blob(1))
    }

    @Test(arguments: [true, false])
    func `an extension that goes to the background closes its folder`(isGranted: Bool) async throws {
        let system = System(grants: isGranted)
        let fixture = try Fixture()
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        fixture.cache.pauseInBackground(system.perform)
        while fixture.index.isOpen || system.spans > 0 { await Task.yield() }
        fixture.cache.resumeAfterSuspension()
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }

    @Test func `a refused span does not end a requested suspension`() throws {
        let system = System(grants: true)
        let fixture = try idleFixture(system)
        fixture.files.storage.suspend()
        for isGranted in [false, true] {
            system.grant(isGranted)
            #expect(throws: KingfisherError.self) { try fixture.files.storage.store(value: .blob(2), forKey: "b") }
            #expect(!fixture.index.isOpen)
        }
        fixture.files.storage.resume()
        #expect(try fixture.files.storage.value(forKey: "a") == .blob(1))
    }
}
