import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Stops a long walk in the middle of one of its batches: all of it is done but the commit, and the write lock is held.
///
/// Between two batches the walk waits once more, until the test has said that others have got in. Nothing here depends on how
/// long anything takes.
final class HeldWalk: Sendable {
    private let state = Locked(State())
    private let isHeld = DispatchSemaphore(value: 0)
    private let mayCommit = DispatchSemaphore(value: 0)
    private let othersGotIn = DispatchSemaphore(value: 0)

    private struct State {
        /// Batches that may still commit before the one that is stopped; nil while nothing is to be stopped.
        var before: Int?
        /// The thread that was stopped.
        var walker: pthread_t?
        var isHolding = false
        var hasWaited = false
        /// Batches of that thread, the stopped one included.
        var batches = 0

        /// - Returns: whether this commit is the one that is stopped.
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

        /// - Returns: whether this is the first time that the walk lets others in since it was stopped.
        mutating func letIn(by thread: pthread_t) -> Bool {
            guard walker == thread, !hasWaited else { return false }
            hasWaited = true
            return true
        }
    }

    // MARK: On the walk's thread

    /// For ``StorageEnvironment/beforeCommit``.
    func beforeCommit() -> Bool {
        guard state.withLock({ $0.commit(by: pthread_self()) }) else { return true }
        isHeld.signal()
        mayCommit.wait()
        return true
    }

    /// For ``StorageEnvironment/pause``, and for what a walk does between two batches without the lock.
    func betweenBatches() {
        if state.withLock({ $0.letIn(by: pthread_self()) }) { othersGotIn.wait() }
    }

    // MARK: On the test's thread

    /// From now on the walk's commits are counted, and the one after so many is stopped.
    func stop(after batches: Int) { state.withLock { $0.before = batches } }

    /// Fails should the walk end, or never begin; nothing that works takes minutes.
    func waitUntilHeld() throws { try #require(isHeld.wait(timeout: .now() + 600) == .success, "no batch was held") }
    var isHolding: Bool { state.withLock { $0.isHolding } }

    func letCommit() {
        state.withLock { $0.isHolding = false }
        mayCommit.signal()
    }

    func letGoOn() { othersGotIn.signal() }

    /// Batches of the walk since it was stopped, the stopped one included.
    var batches: Int { state.withLock { $0.batches } }
}
