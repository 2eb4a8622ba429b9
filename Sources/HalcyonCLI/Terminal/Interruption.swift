internal import Dispatch
internal import Foundation
internal import Halcyon

/// Ctrl-C while a command changes the cache: the first one ends it after the piece of work under way, a second one at
/// once (which harms nothing either: the cache is made for that).
final class Interruption: Sendable {
    private let requests = Locked(0)
    // Dispatch's sources are safe from any thread, and this one is not used after `init`.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    init() {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [requests] in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            if count > 1 { _exit(130) }
        }
        source.resume()
    }

    var isRequested: Bool { requests.withLock { $0 > 0 } }
}
