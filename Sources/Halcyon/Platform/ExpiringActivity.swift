internal import Foundation

/// A span in which the system does not suspend the process, unless it says so before: `performExpiringActivity(withReason:using:)` of
/// `ProcessInfo`, which extensions and watch apps have too.
final class ExpiringActivity: Sendable {
    /// Calls its argument on some thread, with false, and lets the process go on until that returns. With true when the time runs out,
    /// or at once if there is none.
    typealias Perform = @Sendable (_ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    /// nil where the system suspends no process.
    static var system: Perform? {
        #if canImport(UIKit)
            { ProcessInfo.processInfo.performExpiringActivity(withReason: "halcyon", using: $0) }
        #else
            nil
        #endif
    }

    private enum Answer { case awaited, granted, refused }

    private let answer = Locked(Answer.awaited)
    private let answered = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Waits for the system's answer, a second at most.
    ///
    /// - Parameter onExpiration: called on some thread when the time runs out. The process is suspended soon after it returns.
    /// - Returns: nil if there is no time. Otherwise ``end()`` has to be called.
    static func begin(_ perform: Perform, onExpiration: @escaping @Sendable () -> Void) -> ExpiringActivity? {
        let activity = ExpiringActivity()
        perform { activity.run(isExpired: $0, onExpiration) }
        _ = activity.answered.wait(timeout: .now() + 1)
        let isGranted = activity.answer.withLock { answer in
            // An answer that comes later finds that nobody wants it any more.
            if answer == .awaited { answer = .refused }
            return answer == .granted
        }
        return isGranted ? activity : nil
    }

    func end() { ended.signal() }

    private func run(isExpired: Bool, _ onExpiration: () -> Void) {
        let (old, new) = answer.withLock { answer in
            let old = answer
            if old == .awaited { answer = isExpired ? .refused : .granted }
            return (old, answer)
        }
        if old == .awaited { answered.signal() }
        switch (old, new) {
        case (.awaited, .granted): ended.wait()
        case (.granted, _): onExpiration()
        default: break
        }
    }
}
