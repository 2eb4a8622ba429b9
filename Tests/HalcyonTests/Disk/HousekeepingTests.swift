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

    // MARK: A full pool

    /// Runs `body` while no thread of the global utility pool is free.
    private func whilePoolIsFull(_ body: () throws -> Void) rethrows {
        // The pool adds a thread every second.
        let (gate, isFree, count) = (DispatchSemaphore(value: 0), DispatchGroup(), 200)
        for _ in 0..<count { DispatchQueue.global(qos: .utility).async(group: isFree) { gate.wait() } }
        defer {
            for _ in 0..<count { gate.signal() }
            isFree.wait()
        }
        try body()
    }

    @Test func `a clear, an eviction and a check need no thread of the pool`() throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        for number in 0..<100 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        try whilePoolIsFull {
            // Requests unlinks, for which housekeeping gets no thread now.
            for number in 0..<50 { try disk.storage.remove(forKey: "\(number)") }
            disk.storage.config.countLimit = 20
            _ = try disk.storage.removeSizeExceededValues()
            #expect(disk.names(in: "trash").isEmpty)
            #expect(try disk.storage.store.check().orphans.isEmpty)
            try disk.storage.removeAll()
            #expect(disk.names(in: "trash").isEmpty)
        }
    }

    @Test func `a suspension and a close need no thread of the pool`() throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        try whilePoolIsFull {
            // The opening requests a sweep, the removal an unlink.
            for number in 0..<50 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
            _ = try disk.storage.value(forKey: "0")
            try disk.storage.remove(forKey: "1")
            disk.storage.suspend()
            disk.storage.resume()
            #expect(try disk.storage.value(forKey: "2") == .blob(2))
            disk.storage.store.close()
            #expect(disk.names(in: "trash").isEmpty && !disk.storage.store.index.isOpen)
        }
    }
}
