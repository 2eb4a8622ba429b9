internal import Foundation

/// The metadata of a file that the cache uses.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case regular, directory, symbolicLink, other }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// Bytes that the volume has allocated: `st_blocks` × 512.
    package var allocatedSize: Int64
    package var modified: Timestamp
    /// The microseconds of the modification date below its milliseconds.
    package var modifiedMicroseconds: Int
    /// When the file was created; nil on Linux, where no program can set that.
    package var created: Timestamp?
    /// When the inode last changed: by writing, renaming or linking. No program can set it.
    package var changed: Timestamp
    /// The number of hard links. If there are several, writes to this file appear elsewhere, too.
    package var links: Int
}

extension FileStatus {
    /// Whether its date is about that of its last change: a program has written it, and has set no date.
    var isDatedByWriting: Bool { abs(changed - modified) < 60_000 }

    /// Whether the file changed at a time or before. A change in the future counts as before: the clock was set back since.
    func hasChanged(by time: Timestamp) -> Bool {
        changed <= time || changed > Timestamp(Date()).advanced(by: StampSource.tolerance)
    }
}
