internal import Foundation
internal import HalcyonSQLite

/// The connections that lookups read with: one, and others once several threads want one at the same time.
final class ReaderPool: Sendable {
    /// The first one is opened and closed together with the writer's; the others when all before them are in use.
    private let slots: [Locked<Connection?>]
    private let isOpen = Locked(false)

    /// - Parameter count: of connections, at most. Each may take 2 MB for pages that it has read.
    init(count: Int = 4) {
        slots = (0..<count).map { _ in Locked(nil) }
    }

    func open(_ connection: sending Connection) {
        let box = Box(connection)
        slots[0].withLock { $0 = box.connection }
        isOpen.withLock { $0 = true }
    }

    /// Waits for those that are in use.
    func close() {
        // First: who opens a connection of his own has seen it and is waited for, or sees that he must not.
        isOpen.withLock { $0 = false }
        for slot in slots { slot.withLock { $0 = nil } }
    }

    /// As ``close()``, without waiting beyond a deadline.
    ///
    /// - Returns: false if one was still in use.
    func close(before deadline: MonotonicTime) -> Bool {
        isOpen.withLock { $0 = false }
        return slots.allSatisfy { slot in
            let closed: Void? = slot.withLock(within: deadline.secondsLeft) { $0 = nil }
            return closed != nil
        }
    }

    /// Runs `body` with a connection that nobody else uses.
    ///
    /// - Parameter another: opens one more; nil, also when it throws, to wait for the first one instead.
    /// - Returns: nil while it is closed.
    func read<Result>(
        another: () throws -> Connection?, _ body: (Connection) throws -> Result
    ) rethrows -> Result? {
        for (number, slot) in slots.enumerated() {
            let result: Result?? = try slot.withLockIfFree { connection in
                if connection == nil, number > 0, isOpen.withLock({ $0 }) { connection = try? another() }
                return try connection.map(body)
            }
            guard case .some(let result) = result else { continue }
            // The first one is closed: so is the index. Another one cannot be had: nor can a third.
            guard result == nil, number > 0 else { return result }
            break
        }
        return try slots[0].withLock { try $0.map(body) }
    }

    private struct Box: @unchecked Sendable {
        // Sendable because it hands its connection over to one slot, and nobody else has it.
        let connection: Connection
        init(_ connection: Connection) { self.connection = connection }
    }
}
