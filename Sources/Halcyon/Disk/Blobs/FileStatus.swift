/// What the cache asks of a file's metadata.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case regular, directory, symbolicLink, other }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// Bytes the volume set aside: `st_blocks` × 512.
    package var allocatedSize: Int64
    package var modified: Timestamp
    /// The microseconds of the modification date below its milliseconds.
    package var modifiedMicroseconds: Int
    /// When the file was made; nil on Linux, whose answer to that nobody can set.
    package var created: Timestamp?
    /// When the inode changed last: by writing, renaming or linking. Nobody can set it.
    package var changed: Timestamp
    /// How many names the file has. More than one, and what is written into it shows elsewhere too.
    package var links: Int

    package init(
        kind: Kind, device: UInt64, inode: UInt64, size: Int64, allocatedSize: Int64, modified: Timestamp,
        modifiedMicroseconds: Int, created: Timestamp? = nil, changed: Timestamp, links: Int = 1
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.size = size
        self.allocatedSize = allocatedSize
        self.modified = modified
        self.modifiedMicroseconds = modifiedMicroseconds
        self.created = created
        self.changed = changed
        self.links = links
    }
}
