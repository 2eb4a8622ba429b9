internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Handles Ctrl-C while a command changes the cache. The first one ends the command after the current piece of work, the second
/// one at once. Neither damages the cache.
final class Interruption: Sendable {
    private let requests = Locked(0)
    // Dispatch sources are thread-safe.
    private nonisolated(unsafe) let source: (any DispatchSourceSignal)?

    /// - Parameter perform: called once, on the first Ctrl-C.
    init(_ perform: @escaping @Sendable () -> Void = {}) {
        let former = signal(SIGINT, SIG_IGN)
        // A shell sets it to be ignored by commands in the background.
        guard unsafeBitCast(former, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
            source = nil
            return
        }
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        self.source = source
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

    /// Lets Ctrl-C end the command at once again, because the rest of it changes nothing.
    func end() {
        guard let source else { return }
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }

    var isRequested: Bool { requests.withLock { $0 > 0 } }
}
