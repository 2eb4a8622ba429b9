import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Stops a long walk in the middle of one of its batches, right before the commit, while it holds the write lock.
///
/// Between two batches the walk waits again, until the test says that other calls have run. Nothing here depends on timing.
final class HeldWalk: Sendable {
    private let state = Locked(State())
    private let isHeld = DispatchSemaphore(value: 0)
    private let mayCommit = DispatchSemaphore(value: 0)
    private let othersGotIn = DispatchSemaphore(value: 0)

    private struct State {
        /// Batches that may still commit before the stop; nil if no batch is to be stopped.
        var before: Int?
        /// The stopped thread.
        var walker: pthread_t?
        var isHolding = false
        var hasWaited = false
        /// Batches of that thread, including the stopped one.
        var batches = 0

        /// - Returns: whether to stop this commit.
        mutating func commit(by thread: pthread_t) -> Bool {
            if let walker {
                if walker == thread { batches += 1 }
                return false
            }
            guard let left = before else { return false }
            before = left - 1
            guard left == 0 else { return false }
            (walker, isHolding, batches) = (thread, true, 1)
            return true
        }

        /// - Returns: whether the walk pauses for the first time since the stop.
        mutating func letIn(by thread: pthread_t) -> Bool {
            guard walker == thread, !hasWaited else { return false }
            hasWaited = true
            return true
        }
    }

    // MARK: On the walk's thread

    /// For ``CacheFixture/beforeCommit(_:)``.
    func beforeCommit() -> Bool {
        guard state.withLock({ $0.commit(by: pthread_self()) }) else { return true }
        isHeld.signal()
        mayCommit.wait()
        // After a batch that held the lock for less than a millisecond, the walk would not pause.
        usleep(3_000)
        return true
    }

    /// For ``StorageEnvironment/pause``, and for work between two batches without the lock.
    func betweenBatches() {
        if state.withLock({ $0.letIn(by: pthread_self()) }) { othersGotIn.wait() }
    }

    // MARK: On the test's thread

    /// Counts the walk's commits from now on, and stops the one after that many.
    func stop(after batches: Int) { state.withLock { $0.before = batches } }

    /// Fails if the walk ends early or never begins; nothing that works takes minutes.
    func waitUntilHeld() throws { try #require(isHeld.wait(timeout: .now() + 600) == .success, "no batch was held") }
    var isHolding: Bool { state.withLock { $0.isHolding } }

    func letCommit() {
        state.withLock { $0.isHolding = false }
        mayCommit.signal()
    }

    func letGoOn() { othersGotIn.signal() }

    /// Batches of the walk since the stop, including the stopped one.
    var batches: Int { state.withLock { $0.batches } }
}
