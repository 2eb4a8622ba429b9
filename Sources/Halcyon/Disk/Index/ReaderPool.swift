internal import HalcyonSQLite

/// The reading connections. The first one opens with the first read that needs one, often the sweep's, each further one when all before it
/// are in use.
final class ReaderPool: Sendable {
    private let slots: [Locked<Slot?>]
    /// nil while the pool is closed.
    private let current: Locked<State?> = Locked(nil)

    private struct State {
        let opening = Opening()
        /// Whether a connection has been opened.
        var hasConnection = false
    }

    private struct Slot {
        let connection: Connection
        /// The opening it belongs to. A connection that was in use when the pool closed is closed by its user.
        let opening: Opening
    }

    private final class Opening: Sendable {}

    /// - Parameter count: the maximum number of connections. Each may cache 3 MB of pages.
    init(count: Int = 4) {
        slots = (0..<count).map { _ in Locked(nil) }
    }

    func open() { current.withLock { $0 = State() } }

    func openIfClosed() { current.withLock { if $0 == nil { $0 = State() } } }

    /// Waits for connections that are in use.
    func close() {
        // First, so that a thread opening a connection either is waited for below or sees that the pool is closed.
        current.withLock { $0 = nil }
        for slot in slots { slot.withLock { $0 = nil } }
    }

    /// Like ``close()``, without waiting beyond a deadline. A connection that is still in use closes after its use.
    func close(before deadline: MonotonicTime) {
        current.withLock { $0 = nil }
        for slot in slots { slot.withLock(within: deadline.secondsLeft) { $0 = nil } }
    }

    /// Runs `body` with a connection that no other thread uses.
    ///
    /// - Parameters:
    ///   - connect: opens a connection; nil if that is not possible now. If it fails for a further one, the call waits for the
    ///     first one instead.
    ///   - includingFirst: false to return nil until the first one is open, also while another thread opens it.
    /// - Returns: nil if the pool is closed.
    func read<Result>(
        opening connect: () throws -> Connection?, includingFirst: Bool = true, _ body: (Connection) throws -> Result
    ) throws -> Result? {
        guard includingFirst || current.withLock({ $0?.hasConnection == true }) else { return nil }
        for (number, slot) in slots.enumerated() {
            var isFree = false
            let result = try slot.withLockIfFree { slot in
                isFree = true
                if includingFirst || number > 0 { do { try open(&slot, connect) } catch  where number > 0 {} }
                return try use(&slot, body)
            }
            if result != nil || (isFree && number == 0) { return result }
            // If a further one cannot be opened, neither can the next.
            if isFree { break }
        }
        return try slots[0].withLock { slot in
            if includingFirst { try open(&slot, connect) }
            return try use(&slot, body)
        }
    }

    private func open(_ slot: inout Slot?, _ connect: () throws -> Connection?) throws {
        guard slot == nil, let opening = current.withLock({ $0?.opening }) else { return }
        slot = try connect().map { Slot(connection: $0, opening: opening) }
        guard slot != nil else { return }
        current.withLock { if $0?.opening === opening { $0?.hasConnection = true } }
    }

    /// Closes the connection afterwards if the pool has closed in the meantime: ``close(before:)`` may have given up on it.
    private func use<Result>(_ slot: inout Slot?, _ body: (Connection) throws -> Result) rethrows -> Result? {
        defer { if let open = slot, open.opening !== current.withLock({ $0?.opening }) { slot = nil } }
        return try slot.map { try body($0.connection) }
    }
}
