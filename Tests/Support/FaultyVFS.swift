internal import CHalcyonFaultVFS
internal import Foundation

/// SQLite's file system with calls that fail when a test says so.
package final class FaultyVFS: @unchecked Sendable {
    // Sendable because the C code has a lock of its own, and the pointer is a constant.
    package enum Call: Int32, CaseIterable, Sendable {
        case open, delete, access, read, write, truncate, sync, size, lock, mapMemory, lockMemory
    }

    package let name = "halcyon-fault-\(UUID().uuidString)"
    private let handle: OpaquePointer

    package init() {
        guard let made = halcyon_fault_vfs_create(name) else { fatalError("no memory") }
        handle = made
    }

    // Connections of the same test are closed before: they hold a reference through the environment.
    deinit { halcyon_fault_vfs_destroy(handle) }

    /// After so many calls of a kind, so many fail with a result code; nil times, all from then on.
    package func fail(_ call: Call?, code: Int32, after: Int = 0, times: Int? = 1) {
        halcyon_fault_vfs_fail(handle, call?.rawValue ?? -1, code, after, times ?? -1)
    }

    package func heal() { halcyon_fault_vfs_heal(handle) }

    /// Calls of a kind so far, failed ones included.
    package func calls(of call: Call) -> Int { halcyon_fault_vfs_calls(handle, call.rawValue) }

    /// Calls that have failed by the last plan.
    package var failures: Int { halcyon_fault_vfs_failures(handle) }
}
