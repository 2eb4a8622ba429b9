import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite(.endsEvenIfItHangs) struct HousekeepingTests {
    @Test func `the housekeeping of many storages shares a few threads`() {
        let gate = DispatchSemaphore(value: 0)
        let all = (0..<100).map { _ in Housekeeping() }
        let before = ProcessThreads.count
        for housekeeping in all {
            housekeeping.start { _ in
                gate.wait()
                gate.signal()
            }
            for task in [Housekeeping.Task.sweep, .flush, .unlink] { housekeeping.request(task) }
        }
        // Not an exact number: other tests of this process start threads too.
        #expect(ProcessThreads.count < before + 100)
        gate.signal()
        for housekeeping in all { housekeeping.wait() }
        #expect(ProcessThreads.count < before + 100)
    }

    @Test func `waiting for one storage's housekeeping does not wait for the others`() {
        let gate = DispatchSemaphore(value: 0)
        let held = Housekeeping()
        held.start { _ in gate.wait() }
        held.request(.flush)
        let other = Housekeeping()
        let isDone = Locked(false)
        other.start { _ in isDone.withLock { $0 = true } }
        other.request(.flush)
        other.wait()
        #expect(isDone.withLock { $0 })
        gate.signal()
        held.wait()
    }

    /// A flush of 12,000 notes writes far more than the log may hold.
    @Test func `a long flush does not delay checkpoints`() {
        let (housekeeping, copied, inTime) = (Housekeeping(), DispatchSemaphore(value: 0), Locked(false))
        housekeeping.start { task in
            if task == .checkpoint { copied.signal() }
            if task == .flush { inTime.withLock { $0 = copied.wait(timeout: .now() + 30) == .success } }
        }
        housekeeping.request(.flush)
        housekeeping.request(.checkpoint)
        housekeeping.wait()
        #expect(inTime.withLock { $0 })
    }

    /// Closing waits for these: somebody may have deleted a million blobs.
    @Test func `names whose blobs are gone wait for one batch only`() throws {
        let disk = try CacheFixture {
            $0.cleanInterval = 0
            $0.expiration = .never
        }
        disk.environment.tuning.flushBatchSize = 16
        for number in 0..<40 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        for number in 0..<40 { try FileManager.default.removeItem(at: disk.storage.cacheFileURL(forKey: "\(number)")) }
        let (gate, lane) = (DispatchSemaphore(value: 0), disk.storage.store.housekeeping.records)
        lane.async { gate.wait() }
        for number in 0..<40 { try #expect(disk.storage.value(forKey: "\(number)") == nil) }
        gate.signal()
        disk.settle()
        #expect(try disk.storage.totals().entries == 24)
    }

    // MARK: Flushes

    private func cache(
        withNotes count: Int, _ change: (inout StorageEnvironment) -> Void = { _ in }
    ) throws -> CacheFixture {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        change(&disk.environment)
        for number in 0..<count { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        for number in 0..<count { _ = try disk.storage.value(forKey: "\(number)") }
        return disk
    }

    @Test func `a flush does not pause between its batches while another thread waits for it`() throws {
        let pauses = Locked(0)
        let disk = try cache(withNotes: 40) { environment in
            environment.tuning.flushBatchSize = 4
            environment.pause = { _ in pauses.withLock { $0 += 1 } }
        }
        let (recorder, mayCall, ended) = (disk.storage.store.recorder, Locked(true), DispatchSemaphore(value: 0))
        disk.beforeCommit {
            guard mayCall.replace(with: false) else { return true }
            Thread.detachNewThread {
                recorder.flushAccesses()
                ended.signal()
            }
            while !recorder.isAwaited { usleep(500) }
            return true
        }
        pauses.withLock { $0 = 0 }
        #expect(recorder.flushAccessLog())
        ended.wait()
        #expect(pauses.withLock { $0 } == 0)
        try #expect(disk.storage.entry(forKey: "39")?.hits == 1)
        for number in 0..<40 { _ = try disk.storage.value(forKey: "\(number)") }
        #expect(recorder.flushAccessLog())
        #expect(pauses.withLock { $0 } == 9)
    }

    @Test func `at the end of the process, no batch begins after the deadline`() throws {
        let disk = try cache(withNotes: 1)
        let (recorder, commits) = (disk.storage.store.recorder, disk.commitCount)
        #expect(!recorder.flush(beforeExitAt: .now, waits: true) && disk.commitCount == commits)
        #expect(recorder.flush(beforeExitAt: MonotonicTime.now.adding(milliseconds: 60_000), waits: false))
        #expect(disk.commitCount > commits)
    }

    // MARK: Work under way

    @Test func `a clear waits for the unlinks that another thread has begun`() throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        for number in 0..<100 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        let (gate, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let mayHold = Locked(true)
        disk.fileSystem.observe { call, path in
            guard call == .unlink, path.contains("/trash/"), mayHold.replace(with: false) else { return }
            isHeld.signal()
            gate.wait()
        }
        try disk.storage.remove(forKey: "0")
        isHeld.wait()
        let (storage, ended) = (disk.storage, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? storage.removeAll()
            ended.signal()
        }
        // One thread unlinks at a time, so the others wait with the held one.
        while disk.names(in: "trash").count != 100 || storage.isCached(forKey: "99") { usleep(1_000) }
        #expect(ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        gate.signal()
        ended.wait()
        #expect(disk.names(in: "trash").isEmpty)
    }

    @Test(arguments: [false, true])
    func `a sweep, a close and a suspension do not bring back a directory that was deleted`(isSuspended: Bool) throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        let store = disk.storage.store
        store.housekeeping.sweeps.queue.suspend()
        try disk.storage.store(value: .blob(1), forKey: "a")
        try FileManager.default.removeItem(at: disk.directory)
        store.housekeeping.sweeps.queue.resume()
        store.housekeepingWait()
        #expect(!FileManager.default.fileExists(atPath: disk.directory.path))
        try disk.storage.store(value: .blob(2), forKey: "a")
        #expect(try disk.storage.value(forKey: "a") == .blob(2))
        try FileManager.default.removeItem(at: disk.directory)
        isSuspended ? store.suspend() : store.close()
        #expect(!FileManager.default.fileExists(atPath: disk.directory.path))
    }

    @Test func `a close waits for work in the lane of sweeps that has begun`() throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        try disk.storage.store(value: .blob(1), forKey: "a")
        disk.settle()
        let (gate, isHeld, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let store = disk.storage.store
        store.housekeeping.sweeps.async {
            isHeld.signal()
            gate.wait()
        }
        isHeld.wait()
        Thread.detachNewThread {
            store.close()
            ended.signal()
        }
        #expect(ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut && store.index.isOpen)
        gate.signal()
        ended.wait()
        #expect(!store.index.isOpen)
    }
}
