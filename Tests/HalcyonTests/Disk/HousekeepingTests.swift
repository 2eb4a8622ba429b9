import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

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
}
