internal import Foundation

/// The timer that cleans a storage, and the owners it cleans for. Calls only the latest owner. Runs while there is an owner.
struct PeriodicCleaning {
    private typealias Cleaner = (owner: ObjectIdentifier, clean: @Sendable () -> Void)

    private var interval: TimeInterval = 0
    private var cleaners: [Cleaner] = []
    private(set) var timer: CleanTimer?

    mutating func begin(owner: ObjectIdentifier, interval: TimeInterval, _ clean: @escaping @Sendable () -> Void) {
        self.interval = interval
        cleaners.append((owner, clean))
        restart()
    }

    /// Ends the cleaning for an owner. The owner before it takes over.
    mutating func end(owner: ObjectIdentifier) {
        let isCleaning = cleaners.last?.owner == owner
        cleaners.removeAll { $0.owner == owner }
        if isCleaning { restart() }
    }

    /// A different interval restarts the timer.
    mutating func setInterval(_ interval: TimeInterval) {
        guard interval != self.interval else { return }
        self.interval = interval
        restart()
    }

    private mutating func restart() { timer = cleaners.last.flatMap { CleanTimer(interval: interval, $0.clean) } }
}
