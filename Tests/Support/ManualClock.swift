package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// A clock that only the test moves. It starts at the real time, because the kernel's file times cannot be injected.
package final class ManualClock: Sendable {
    private let current: Locked<Timestamp>
    private let sinceBoot: Locked<Int64> = Locked(3_600_000)

    package init(_ start: Date = Date()) { current = Locked(Timestamp(start)) }

    package var now: Timestamp { current.withLock { $0 } }

    /// Milliseconds since the boot.
    package var uptime: Int64 { sinceBoot.withLock { $0 } }

    /// Lets seconds pass; if negative, puts the clock back.
    package func advance(by seconds: Double) {
        set(by: seconds)
        if seconds > 0 { sinceBoot.withLock { $0 += Int64(seconds * 1000) } }
    }

    /// Sets the clock, as a user does.
    package func set(by seconds: Double) {
        current.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + Int64(seconds * 1000)) }
    }
}
