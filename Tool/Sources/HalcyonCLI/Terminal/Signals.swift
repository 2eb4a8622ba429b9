internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Signals that come one after the other, to whoever waits for them, instead of ending the program.
final class Signals: @unchecked Sendable {
    // Sendable because the sources are not touched after `init`, and all else has a lock of its own.
    private let waiting = Locked<[Int32]>([])
    private let arrival = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal] = []

    init(_ signals: [Int32]) {
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [waiting, arrival] in
                waiting.withLock { $0.append(number) }
                arrival.signal()
            }
            source.activate()
            return source
        }
    }

    /// The next one; nil when none has come in that time.
    func next(until deadline: DispatchTime) -> Int32? {
        guard arrival.wait(timeout: deadline) == .success else { return nil }
        return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
