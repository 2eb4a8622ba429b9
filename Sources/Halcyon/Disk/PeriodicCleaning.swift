internal import Foundation

/// When a storage is cleaned, and by whom: one of the caches it belongs to, the latest. A timer runs while there is one.
struct PeriodicCleaning {
    /// Seconds.
    var interval: TimeInterval = 0 {
        didSet { if interval != oldValue { restart() } }
    }

    private var cleaners: [(owner: ObjectIdentifier, clean: @Sendable () -> Void)] = []
    private(set) var timer: CleanTimer?

    /// - Parameter clean: nil when the owner goes; then another one takes over.
    mutating func set(_ clean: (@Sendable () -> Void)?, for owner: ObjectIdentifier) {
        let latest = cleaners.last?.owner
        cleaners.removeAll { $0.owner == owner }
        if let clean { cleaners.append((owner, clean)) }
        if cleaners.last?.owner != latest { restart() }
    }

    private mutating func restart() {
        timer = cleaners.last.flatMap { CleanTimer(interval: interval, $0.clean) }
    }
}
