internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Ctrl-C while a command changes the cache: the first one ends it after the piece of work under way, a second one at
/// once (which harms nothing either: the cache is made for that).
final class Interruption: Sendable {
    private let requests = Locked(0)
    // Dispatch's sources are safe from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    /// - Parameter perform: called once, by the first Ctrl-C.
    init(_ perform: @escaping @Sendable () -> Void = {}) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [requests] in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            if count > 1 { _exit(130) }
            perform()
        }
        source.resume()
    }

    /// From here on Ctrl-C ends the command at once again: what follows changes nothing.
    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }

    var isRequested: Bool { requests.withLock { $0 > 0 } }
}
