import Foundation
import Halcyon

/// What replaces the machine's clock, boot and disk in a process.
struct World: Codable, Sendable {
    /// The file of a ``SharedClock``; nil for the machine's own clock.
    var clock: String?
    /// nil for the machine's own boot.
    var boot: String?
    /// Reads sometimes fail.
    var hasBadDisk = false
    /// A process holds the write lock for up to half a second. Calls that do not need the lock must not wait.
    var isLockHeld = false

    /// Replaces the machine's clock and boot.
    func change() throws -> (inout StorageEnvironment) -> Void {
        let clock = try clock.map { try SharedClock(path: $0) }
        return { environment in
            if let clock { environment.now = { clock.now } }
            if let boot { environment.boot = { boot } }
        }
    }
}
