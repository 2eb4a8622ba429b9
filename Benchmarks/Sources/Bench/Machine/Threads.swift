import Foundation

/// Runs `body` on that many threads at once, and returns when all have ended. These are separate threads, because a dispatch queue has no
/// more threads than there are processors.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { number in inBackground { body(number) } }
    threads.forEach { $0.wait() }
}

/// Work on its own thread.
final class BackgroundTask: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private nonisolated(unsafe) var hasEnded = false

    fileprivate func end() {
        lock.withLock { hasEnded = true }
        ended.signal()
    }

    var isRunning: Bool { lock.withLock { !hasEnded } }

    /// Once.
    func wait() { ended.wait() }
}

func inBackground(_ body: @escaping @Sendable () -> Void) -> BackgroundTask {
    let task = BackgroundTask()
    let thread = Thread {
        body()
        task.end()
    }
    thread.start()
    return task
}
