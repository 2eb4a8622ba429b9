import Foundation
import Halcyon

/// What a process finds in the place of the machine's clock, boot and disk.
struct World: Codable, Sendable {
    /// The file of a ``SharedClock``; nil, the machine's own clock.
    var clock: String?
    /// nil: what the machine says.
    var boot: String?
    /// Reads are refused now and then.
    var hasBadDisk = false
    /// A process keeps the write lock for up to half a second. Calls that need not wait for it must not.
    var isLockHeld = false

    /// Puts clock and boot into the place of the machine's.
    func change() throws -> (inout StorageEnvironment) -> Void {
        let clock = try clock.map { try SharedClock(path: $0) }
        return { environment in
            if let clock { environment.now = { clock.now } }
            if let boot { environment.boot = { boot } }
        }
    }
}
