internal import Foundation

/// Calls a function repeatedly on a utility queue until the timer is released. Needs no run loop.
final class CleanTimer: @unchecked Sendable {
    // Sendable because a dispatch source is thread-safe and the member is constant.
    let source: any DispatchSourceTimer

    /// A year in seconds, far below the overflow of a dispatch time.
    private static let longestInterval: TimeInterval = 31_536_000
    /// A millisecond; a shorter interval would only waste CPU time.
    private static let shortestInterval: TimeInterval = 0.001

    /// - Parameter interval: in seconds. Returns nil if it is not positive or not finite, which means "off".
    init?(interval: TimeInterval, _ clean: @escaping @Sendable () -> Void) {
        guard interval > 0, interval.isFinite else { return nil }
        let interval = min(max(interval, Self.shortestInterval), Self.longestInterval)
        source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        source.setEventHandler(handler: clean)
        // No caller waits for a clean, so the system may coalesce it with other work.
        let leeway = DispatchTimeInterval.milliseconds(Int(clamping: interval * 100))
        source.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
        source.activate()
    }

    deinit { source.cancel() }
}
