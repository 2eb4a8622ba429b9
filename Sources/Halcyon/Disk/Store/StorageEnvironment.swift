internal import Foundation
internal import HalcyonSQLite

/// What the disk storage takes from the world around it: everything a test may want to replace.
package struct StorageEnvironment: Sendable {
    package var fileSystem: any FileSystem = POSIXFileSystem()
    package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }
    package var boot: @Sendable () -> String = { BootIdentifier.current }
    /// Milliseconds since the boot in which the machine was awake: what is to be written is written within so many of them.
    package var uptime: @Sendable () -> Int64 = { MonotonicTime.now.uptime }
    /// Random, positive.
    package var makeToken: @Sendable () -> Int64 = { Int64.random(in: 1...Int64.max) }
    package var tuning = Tuning()
    /// The name of the SQLite VFS that the index is opened with; nil for the system's.
    package var vfs: String?
    /// Two storages of one process on one folder share connections and pending notes. Tests that play two processes
    /// switch it off.
    package var isShared = true
    /// Called with warnings for people: a volume without a write-ahead log, an index set aside.
    package var warn: @Sendable (String) -> Void = { message in
        FileHandle.standardError.write(Data("halcyon: warning: \(message)\n".utf8))
    }
    /// Waits between two batches of a long walk, for so many milliseconds, without any lock: then others get in.
    package var pause: @Sendable (Int) -> Void = { Thread.sleep(forTimeInterval: Double($0) / 1000) }
    /// Keeps the system from suspending the process during writes to a folder that apps share; nil where it never does.
    var expiringActivity = ExpiringActivity.system
    /// Asked before each commit of a writing transaction; false refuses it, as a failing disk does. nil: nobody asks.
    package var beforeCommit: (@Sendable () -> Bool)?

    package init() {}
}
