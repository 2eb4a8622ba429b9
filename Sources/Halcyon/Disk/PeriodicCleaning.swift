internal import Foundation

/// When a storage is cleaned, and by whom. A timer runs while both are known.
struct PeriodicCleaning {
    /// Seconds.
    var interval: TimeInterval = 0 {
        didSet { if interval != oldValue { restart() } }
    }

    var clean: (@Sendable () -> Void)? {
        didSet { restart() }
    }

    private(set) var timer: CleanTimer?

    private mutating func restart() { timer = clean.flatMap { CleanTimer(interval: interval, $0) } }
}
