internal import Foundation
internal import HalcyonSQLite

/// Everything from outside that the disk storage uses and a test may replace.
package struct StorageEnvironment: Sendable {
    package var fileSystem: any FileSystem = POSIXFileSystem()
    package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }
    package var boot: @Sendable () -> String = { BootIdentifier.current }
    /// Milliseconds since boot in which the machine was awake. The system writes back files within a number of these.
    package var uptime: @Sendable () -> Int64 = { MonotonicTime.now.uptime }
    let tokens = TokenSource()
    package var tuning = Tuning()
    /// The name of the SQLite VFS for the index; nil for the system's.
    package var vfs: String?
    /// Whether two storages of one process on one directory share connections and pending notes. False in tests that simulate two
    /// processes.
    package var isShared = true
    /// Receives warnings for the user, such as a volume without a write-ahead log, or an index set aside.
    package var warn: @Sendable (String) -> Void = { message in
        // `write(_:)` would end the process if standard error is closed, or a file on a full disk.
        try? FileHandle.standardError.write(contentsOf: Data("halcyon: warning: \(message)\n".utf8))
    }
    /// Waits a number of milliseconds between two batches of a long walk, without any lock, so that others get in.
    package var pause: @Sendable (Int) -> Void = { Thread.sleep(forTimeInterval: Double($0) / 1000) }
    /// Keeps the system from suspending the process during writes to a directory that apps share; nil where it never does.
    var expiringActivity = ExpiringActivity.system

    package init() {}
}
