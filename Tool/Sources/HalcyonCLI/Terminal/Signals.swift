internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Queues signals for a waiting thread, instead of letting them end the program.
final class Signals: @unchecked Sendable {
    // Sendable because the sources do not change after `init`, and everything else has its own lock.
    private let waiting = Locked<[Int32]>([])
    private let arrival = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal]

    init(_ signals: [Int32]) {
        sources = []
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.add(number) }
            source.activate()
            return source
        }
    }

    func add(_ number: Int32) {
        waiting.withLock { $0.append(number) }
        arrival.signal()
    }

    /// Returns the next signal, or nil at the deadline.
    func next(until deadline: DispatchTime) -> Int32? {
        guard arrival.wait(timeout: deadline) == .success else { return nil }
        return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
