internal import Foundation

/// Spans in which the system does not suspend the process without notice: `performExpiringActivity(withReason:using:)` of
/// `ProcessInfo`, which extensions and watch apps have too. Overlapping spans share one activity.
final class ExpiringActivity: Sendable {
    /// Calls its argument on any thread with false, and keeps the process running until it returns. Calls it with true when the
    /// time runs out, or at once if there is none.
    typealias Perform = @Sendable (_ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    /// nil on systems that do not suspend processes.
    static var system: Perform? {
        #if canImport(UIKit)
            { ProcessInfo.processInfo.performExpiringActivity(withReason: "halcyon", using: $0) }
        #else
            nil
        #endif
    }

    private let perform: Perform
    private let current: Locked<(users: Int, span: Span?)> = Locked((0, nil))

    init(_ perform: @escaping Perform) { self.perform = perform }

    /// Begins a span. Waits up to a second for the system's answer, unless a span is under way.
    ///
    /// - Parameters:
    ///   - onExpiration: called on any thread when the time runs out. The system suspends the process soon after it returns.
    ///   - didBegin: called if there is time, before `onExpiration`. If the time runs out at once, only `onExpiration` is called.
    /// - Returns: false if there is no time. Otherwise you must call ``end()``.
    func begin(onExpiration: @escaping @Sendable () -> Void, didBegin: () -> Void = {}) -> Bool {
        current.withLock { current in
            if current.span == nil { current.span = Span.begin(perform, onExpiration) }
            // A span whose time has run out stays until its last user ends it, and takes no further ones.
            let isGranted = current.span?.whileGranted(didBegin) ?? false
            if isGranted { current.users += 1 }
            endUnused(&current)
            return isGranted
        }
    }

    func end() {
        current.withLock { current in
            current.users -= 1
            endUnused(&current)
        }
    }

    private func endUnused(_ current: inout (users: Int, span: Span?)) {
        guard current.users == 0 else { return }
        current.span?.end()
        current.span = nil
    }
}

private final class Span: Sendable {
    private enum State { case awaited, granted, over }

    private let state = Locked(State.awaited)
    private let answered = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    static func begin(_ perform: ExpiringActivity.Perform, _ onExpiration: @escaping @Sendable () -> Void) -> Span? {
        let span = Span()
        perform { span.run(isExpired: $0, onExpiration) }
        _ = span.answered.wait(timeout: .now() + 1)
        let isGranted = span.state.withLock { state in
            // A later answer finds that the caller has given up.
            if state == .awaited { state = .over }
            return state == .granted
        }
        guard isGranted else {
            // The time may have run out right after it was granted, and the system's block waits for the end.
            span.end()
            return nil
        }
        return span
    }

    /// Runs `body` unless the time has run out. Returns whether it did.
    func whileGranted(_ body: () -> Void) -> Bool {
        state.withLock { state in
            guard state == .granted else { return false }
            body()
            return true
        }
    }

    func end() {
        state.withLock { $0 = .over }
        ended.signal()
    }

    private func run(isExpired: Bool, _ onExpiration: () -> Void) {
        let old = state.withLock { state in
            defer { state = state == .awaited && !isExpired ? .granted : .over }
            return state
        }
        switch old {
        case .awaited:
            answered.signal()
            if !isExpired { ended.wait() }
        case .granted: onExpiration()
        case .over: break
        }
    }
}
