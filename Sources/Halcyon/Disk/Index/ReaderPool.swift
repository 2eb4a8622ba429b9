internal import Foundation
internal import HalcyonSQLite

/// The connections that lookups read with: one, and others once several threads want one at the same time.
final class ReaderPool: Sendable {
    /// The first one is opened and closed together with the writer's; the others when all before them are in use.
    private let slots: [Locked<Slot?>]
    private let opening = Locked(Opening())

    private struct Slot {
        let connection: Connection
        /// Of which opening it is. What was in use when the pool was closed is closed by its user.
        let opening: Int
    }

    private struct Opening {
        var number = 0
        var isOpen = false
    }

    /// - Parameter count: of connections, at most. Each may take 2 MB for pages that it has read.
    init(count: Int = 4) {
        slots = (0..<count).map { _ in Locked(nil) }
    }

    func open(_ connection: sending Connection) {
        let box = Box(connection)
        let number = opening.withLock { opening in
            opening.number += 1
            opening.isOpen = true
            return opening.number
        }
        slots[0].withLock { $0 = Slot(connection: box.connection, opening: number) }
    }

    /// Waits for those that are in use.
    func close() {
        // First: who opens a connection of his own has seen it and is waited for, or sees that he must not.
        opening.withLock { $0.isOpen = false }
        for slot in slots { slot.withLock { $0 = nil } }
    }

    /// As ``close()``, without waiting beyond a deadline: what is in use then is closed after its use.
    func close(before deadline: MonotonicTime) {
        opening.withLock { $0.isOpen = false }
        for slot in slots { slot.withLock(within: deadline.secondsLeft) { $0 = nil } }
    }

    /// Runs `body` with a connection that nobody else uses.
    ///
    /// - Parameter another: opens one more; nil, also when it throws, to wait for the first one instead.
    /// - Returns: nil while it is closed.
    func read<Result>(
        another: () throws -> Connection?, _ body: (Connection) throws -> Result
    ) rethrows -> Result? {
        for (number, slot) in slots.enumerated() {
            let result: Result?? = try slot.withLockIfFree { slot in
                if slot == nil, number > 0, let current {
                    slot = (try? another()).map { Slot(connection: $0, opening: current) }
                }
                return try use(&slot, body)
            }
            guard case .some(let result) = result else { continue }
            // The first one is closed: so is the index. Another one cannot be had: nor can a third.
            guard result == nil, number > 0 else { return result }
            break
        }
        return try slots[0].withLock { try use(&$0, body) }
    }

    /// Closes the connection afterwards if its opening is over by then: a deadline may have kept ``close(before:)`` from it.
    private func use<Result>(_ slot: inout Slot?, _ body: (Connection) throws -> Result) rethrows -> Result? {
        defer { if let open = slot, open.opening != current { slot = nil } }
        return try slot.map { try body($0.connection) }
    }

    /// The number of the present opening; nil while it is closed.
    private var current: Int? { opening.withLock { $0.isOpen ? $0.number : nil } }

    private struct Box: @unchecked Sendable {
        // Sendable because it hands its connection over to one slot, and nobody else has it.
        let connection: Connection
        init(_ connection: Connection) { self.connection = connection }
    }
}
