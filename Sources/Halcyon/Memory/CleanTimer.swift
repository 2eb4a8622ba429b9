internal import Dispatch
internal import Foundation

/// Calls a function again and again on a utility queue, until it is released. Needs no run loop.
final class CleanTimer: @unchecked Sendable {
    // Sendable because a dispatch source may be used from any thread, and the member is a constant.
    let source: any DispatchSourceTimer

    /// A year, in seconds: far from what overflows a dispatch time.
    private static let longestInterval: TimeInterval = 31_536_000
    /// A millisecond: a shorter interval would only burn a processor.
    private static let shortestInterval: TimeInterval = 0.001

    /// - Parameter interval: seconds; nil is returned for one that is not positive or not finite, which means "off".
    init?(interval: TimeInterval, _ clean: @escaping @Sendable () -> Void) {
        guard interval > 0, interval.isFinite else { return nil }
        let interval = min(max(interval, Self.shortestInterval), Self.longestInterval)
        source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        source.setEventHandler(handler: clean)
        // Nobody waits for a clean: the system may put it together with other work.
        let leeway = DispatchTimeInterval.milliseconds(Int(clamping: interval * 100))
        source.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
        source.activate()
    }

    deinit { source.cancel() }
}
