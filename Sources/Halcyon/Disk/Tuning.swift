internal import Foundation

/// The numbers that decide when things happen. Durations in milliseconds, sizes in bytes.
package struct Tuning: Sendable {
    /// How long stores wait for another process.
    package var writerTimeout = 5000
    /// How long each store tries after that, until one gets the lock.
    package var retryTimeout = 50
    /// How long anything waits for the write lock that can be made up for later.
    package var briefTimeout = 100
    /// How long a reader waits: only while another process recovers or closes the index.
    package var readerTimeout = 250
    /// What makes an upgraded index complete begins so long after an opening: a process that has ended by then is not held up.
    package var upgradeDelay = 1_000
    /// Entries a transaction removes at most.
    package var batchSize = 128
    /// Notes of the access log written by one transaction at most.
    package var flushBatchSize = 256
    /// … and where nobody waits for them. Each is another page or two, which the commit copies while stores wait.
    package var flushTurnSize = 16
    /// Files that one transaction of an adoption makes rows of. The order of ids is not that of accesses: in each transaction
    /// nearly every row changes another page of the index by access, so few long ones write much less than many short ones.
    package var adoptionBatchSize = 1024
    /// File names that an adoption sorts before it makes rows of them; some hundred bytes each.
    package var adoptionChunk = 32_768
    /// The access log is written when it has this many notes …
    package var flushCount = 1024
    /// … or this long after its first one.
    package var flushInterval: Int64 = 10_000
    /// For so long a lookup believes what it knows of a row: no longer than another process may keep what its reads have changed.
    package var rowLifetime: Int64 = 10_000
    /// Notes beyond this number are dropped while the index cannot be written.
    package var noteLimit = 8192
    /// The log is copied into the database when a commit leaves it this long (pages of 4 KiB) …
    package var checkpointFrames = 500
    /// … and from here on writers of this process wait for it, this long at most (milliseconds) …
    package var forcedCheckpointFrames = 4_000
    package var forcedCheckpointTimeout = 50
    /// … unless somebody reads for long, which keeps the log from beginning anew. What adds to the cache then stops here, at 64 MB …
    package var logFrameLimit = 16_000
    /// … and what takes away from it so many pages later.
    package var logFrameReserve = 4_000
    /// What is kept allocated of the log: so that a full disk can still evict, and so that a log of the usual length is not cut and
    /// allocated again each time it is begun anew.
    package var logSizeLimit = 3 * 1024 * 1024
    /// A staged file is left over from a crash when it has not changed for this long.
    package var stagingAge: Int64 = 10 * 60 * 1000
    /// Before a miss is reported the index's files are compared, unless that was done within this time.
    package var presenceInterval: Int64 = 100
    /// Blobs waiting to be unlinked, in number and bytes; beyond that the caller unlinks them himself.
    package var unlinkBacklogCount = 1_000
    package var unlinkBacklogBytes: Int64 = 64 * 1024 * 1024
    /// The system writes a file within half a minute; entries stored so long before a power cut are not trusted.
    package var writeBackTime: Int64 = 60_000

    package init() {}
}
