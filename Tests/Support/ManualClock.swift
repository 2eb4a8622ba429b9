package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// A clock that moves when told. It starts at the real time, because the kernel's times of files cannot be injected.
package final class ManualClock: Sendable {
    private let current: Locked<Timestamp>

    package init(_ start: Date = Date()) { current = Locked(Timestamp(start)) }

    package var now: Timestamp { current.withLock { $0 } }

    /// Seconds forward, or back when negative.
    package func advance(by seconds: Double) {
        current.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + Int64(seconds * 1000)) }
    }
}
