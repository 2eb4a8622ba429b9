import Foundation
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
        let hasEnded = Locked(false)
        let (storage, ended) = (disk.storage, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? storage.removeAll()
            hasEnded.withLock { $0 = true }
            ended.signal()
        }
        // All but the held one.
        while disk.names(in: "trash").count != 1 || storage.isCached(forKey: "99") { usleep(1_000) }
        #expect(!hasEnded.withLock { $0 })
        gate.signal()
        ended.wait()
        #expect(disk.names(in: "trash").isEmpty)
    }

    @Test func `a close waits for the flush that has begun`() throws {
        var tuning = Tuning.patient
        tuning.flushTurnSize = 1
        let disk = try CacheFixture(tuning: tuning) { $0.cleanInterval = 0 }
        // The sweep of the opening pauses too.
        let (gate, isHeld, mayHold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Locked(false))
        disk.environment.pause = { _ in
            guard mayHold.replace(with: false) else { return }
            isHeld.signal()
            gate.wait()
        }
        for number in 0..<3 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        for number in 0..<3 { _ = try disk.storage.value(forKey: "\(number)") }
        let store = disk.storage.store
        mayHold.withLock { $0 = true }
        store.housekeeping.request(.flush)
        isHeld.wait()
        let (isClosing, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            isClosing.signal()
            store.close()
            ended.signal()
        }
        isClosing.wait()
        #expect(ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut && store.index.isOpen)
        gate.signal()
        ended.wait()
        #expect(!store.index.isOpen)
    }
}
