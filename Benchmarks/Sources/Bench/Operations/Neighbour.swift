import Foundation
import Halcyon

/// A thread that sometimes stores during a clear, and has to wait for it.
final class Neighbour: Sendable {
    private let storage: DiskStorage.Backend<Data>
    private let lock = NSLock()
    private nonisolated(unsafe) var isStopped = false
    private nonisolated(unsafe) var longest = 0.0

    init(storage: DiskStorage.Backend<Data>) { self.storage = storage }

    /// Until ``stop()``. Rare enough not to slow the removal down.
    func storeNowAndThen() {
        let data = blob(World.blobSize)
        var number = 0
        while lock.withLock({ !isStopped }) {
            number += 1
            // A refused store has waited as well.
            let time = microseconds { try? storage.store(value: data, forKey: "neighbour \(number)") }
            lock.withLock { longest = max(longest, time) }
            usleep(20_000)
        }
    }

    func stop() { lock.withLock { isStopped = true } }

    /// Microseconds of its slowest store.
    var longestWait: Double { lock.withLock { longest } }
}
