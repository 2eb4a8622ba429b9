import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct CallbackQueueTests {
    @Test func `untouch calls at once on the same thread`() {
        let called = Locked(false)
        CallbackQueue.untouch.execute { called.withLock { $0 = true } }
        #expect(called.withLock { $0 })
    }

    @Test func `a dispatch queue is used for its blocks`() async {
        let queue = DispatchQueue(label: "callback")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let found = await withCheckedContinuation { continuation in
            CallbackQueue.dispatch(queue).execute {
                continuation.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }
        #expect(found == 7)
    }

    @Test func `an operation queue gets an operation`() async {
        let queue = OperationQueue()
        let isOther = await withCheckedContinuation { continuation in
            CallbackQueue.operationQueue(queue).execute { continuation.resume(returning: !MainQueue.isCurrent) }
        }
        #expect(isOther)
    }

    @Test @MainActor func `on the main actor mainCurrentOrAsync calls at once, mainAsync later`() async {
        let order = Locked<[Int]>([])
        CallbackQueue.mainAsync.execute { order.withLock { $0.append(2) } }
        CallbackQueue.mainCurrentOrAsync.execute { order.withLock { $0.append(1) } }
        #expect(order.withLock { $0 }.first == 1)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(order.withLock { $0 } == [1, 2])
    }

    @Test func `off the main queue, mainCurrentOrAsync dispatches to it`() async {
        let isMain = await withCheckedContinuation { continuation in
            DispatchQueue(label: "elsewhere").async {
                CallbackQueue.mainCurrentOrAsync.execute { continuation.resume(returning: MainQueue.isCurrent) }
            }
        }
        #expect(isMain)
    }
}
