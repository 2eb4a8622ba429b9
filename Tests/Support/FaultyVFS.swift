internal import CHalcyonFaultVFS
internal import Foundation
internal import Halcyon
internal import HalcyonSQLite

/// SQLite's file system with calls that fail on request.
package final class FaultyVFS: @unchecked Sendable {
    // Sendable because the C code has its own lock, and the pointer is constant.
    package enum Call: Int32, CaseIterable, Sendable {
        case open, delete, access, read, write, truncate, sync, size, lock, mapMemory, lockMemory
    }

    /// A call before or after it is made.
    package struct Event {
        package let call: Call
        package let isAfter: Bool
        /// nil for a temporary file of SQLite.
        package let path: String?
        /// The offset of a read or a write; the new length for a truncation.
        package let offset: Int64
        /// The bytes to write, or those that were read.
        package let bytes: UnsafeRawBufferPointer
        /// For a deletion: the folder is synchronized too.
        package let isSynchronized: Bool
    }

    package let name = "halcyon-fault-\(UUID().uuidString)"
    private let handle: OpaquePointer
    private let callbacks = Callbacks()

    package init() {
        guard let made = halcyon_fault_vfs_create(name, Connection.usualVFS) else { fatalError("no memory") }
        handle = made
    }

    // A storage's background work may open a connection even after the test.
    deinit {
        heal()
        _ = callbacks.functions.replace(with: .init())
    }

    /// SQLite keeps it, once an observer is set, for as long as the process runs.
    private final class Callbacks: Sendable {
        struct Functions {
            var observe: (@Sendable (Event) -> Int32)?
            var allowsCommit: (@Sendable () -> Bool)?
        }

        let functions = Locked(Functions())

        static func from(_ context: UnsafeMutableRawPointer?) -> Callbacks? {
            context.map { Unmanaged<Callbacks>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// After a number of calls of the kinds that have a result code, fails `times` of them; nil for all from then on.
    ///
    /// - Parameter error: the `errno` of a write that fails with IOERR_WRITE.
    package func fail(_ codes: [Call: Int32], errno error: Int32 = EIO, after: Int = 0, times: Int? = 1) {
        let all = Call.allCases.map { codes[$0] ?? 0 }
        halcyon_fault_vfs_fail(handle, all, error, after, times ?? -1)
    }

    /// Each write runs as two halves, each of which is a separate call. Call this before opening the first connection.
    package func tearWrites() { halcyon_fault_vfs_tear_writes(handle, 1) }

    /// Logs stay when the last connection closes, as with Apple's SQLite, unless the connection says otherwise. Call this before opening
    /// the first connection.
    package func keepLogs() { halcyon_fault_vfs_keep_logs(handle) }

    /// Calls `body` before each call, which fails if `body` returns a result code other than 0, and after each successful one. Call this
    /// before opening the first connection.
    package func observe(_ body: @escaping @Sendable (Event) -> Int32) {
        callbacks.functions.withLock { $0.observe = body }
        halcyon_fault_vfs_observe(
            handle,
            { context, event in
                guard let event = event?.pointee, let made = Event(event) else { return 0 }
                return Callbacks.from(context)?.functions.withLock(\.observe)?(made) ?? 0
            }, Unmanaged.passRetained(callbacks).toOpaque())
    }

    /// Calls `allow` before each commit of an open index, but not before those of its opening. If it returns false, the commit
    /// becomes a rollback, as with a failing disk. Call this once, before the first connection is opened.
    package func beforeCommit(_ allow: @escaping @Sendable () -> Bool) {
        callbacks.functions.withLock { $0.allowsCommit = allow }
        halcyon_fault_vfs_judge_commits(
            handle, { Callbacks.from($0)?.functions.withLock(\.allowsCommit)?() == false ? 0 : 1 },
            Unmanaged.passRetained(callbacks).toOpaque())
    }

    package func heal() { halcyon_fault_vfs_heal(handle) }

    /// Calls of a kind so far, failed ones included.
    package func calls(of call: Call) -> Int { halcyon_fault_vfs_calls(handle, call.rawValue) }

    /// Calls that have failed by the last plan.
    package var failures: Int { halcyon_fault_vfs_failures(handle) }
}

extension FaultyVFS.Event {
    fileprivate init?(_ event: halcyon_vfs_event) {
        guard let call = FaultyVFS.Call(rawValue: event.call) else { return nil }
        self.init(
            call: call, isAfter: event.is_after != 0, path: event.path.map { String(cString: $0) },
            offset: event.offset,
            bytes: UnsafeRawBufferPointer(start: event.bytes, count: event.bytes == nil ? 0 : event.count),
            isSynchronized: call == .delete && event.count != 0)
    }
}
