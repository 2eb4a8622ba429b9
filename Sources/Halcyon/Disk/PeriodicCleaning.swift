internal import Foundation

/// When a storage is cleaned, and by whom. A timer runs while both are known.
struct PeriodicCleaning {
    private struct Cleaner {
        let owner: ObjectIdentifier
        let clean: @Sendable () -> Void
    }

    private var interval: TimeInterval = 0
    private var cleaner: Cleaner?
    private var timer: CleanTimer?

    mutating func begin(owner: ObjectIdentifier, interval: TimeInterval, _ clean: @escaping @Sendable () -> Void) {
        self.interval = interval
        cleaner = Cleaner(owner: owner, clean: clean)
        restart()
    }

    mutating func end(owner: ObjectIdentifier) {
        guard cleaner?.owner == owner else { return }
        cleaner = nil
        restart()
    }

    /// Another interval begins anew; the same one goes on.
    mutating func setInterval(_ interval: TimeInterval) {
        guard interval != self.interval else { return }
        self.interval = interval
        restart()
    }

    private mutating func restart() { timer = cleaner.flatMap { CleanTimer(interval: interval, $0.clean) } }
}
