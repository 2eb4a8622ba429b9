/// Timeouts, intervals and limits. Durations are in milliseconds, sizes in bytes.
package struct Tuning: Sendable {
    /// How long a store waits while another process holds the lock.
    package var writerTimeout = 5000
    /// How long each next store waits after one that timed out, until one gets the lock.
    package var retryTimeout = 50
    /// How long work that can be done later waits for the write lock.
    package var briefTimeout = 100
    /// How long such work waits for a thread of this process that opens or closes the index, on a slow disk.
    package var openingTimeout = 1_000
    /// How long a reader waits. It only waits while another process recovers or closes the index.
    package var readerTimeout = 250
    /// Delay from an opening to the completion of an upgraded index, so that a short-lived process can end before it.
    package var upgradeDelay = 1_000
    /// Maximum number of stores that share a transaction, which holds the lock while it renames their files.
    package var storeBatchSize = 32
    /// Maximum number of entries that one transaction removes.
    package var batchSize = 128
    /// How long a transaction of many entries may hold the lock while it moves or examines their files, which takes long on a slow disk.
    package var batchTime = 250
    /// Maximum number of access log notes that one transaction writes. Each changes another page or two, which the commit copies
    /// while stores wait: in small batches, the same pages several times.
    package var flushBatchSize = 256
    /// Maximum number of files that one transaction of an adoption inserts. Ids and accesses are ordered differently, so in each transaction nearly
    /// every row changes another page of the index by access: a few long transactions write much less than many short ones.
    package var adoptionBatchSize = 1024
    /// File names that an adoption sorts before it inserts rows for them; about a hundred bytes each.
    package var adoptionChunk = 32_768
    /// The access log is flushed when it has notes of this many entries, …
    package var flushCount = 12_000
    /// … or this long after its first one.
    package var flushInterval: Int64 = 10_000
    /// How long a lookup trusts a row in memory: no longer than another process may keep the effects of its reads unflushed.
    package var rowLifetime: Int64 = 10_000
    /// Notes beyond this number are dropped while the index cannot be written.
    package var noteLimit = 16_384
    /// How many pages a connection caches, in SQLite's notation: 3 MB, which hold the rows of some 13,000 entries.
    package var pageCacheSize = -3072
    /// A checkpoint runs when a commit leaves the log this long (in pages of 4 KiB).
    package var checkpointFrames = 1_000
    /// From this length on, writers of this process wait for the checkpoint, at most for the time below.
    package var forcedCheckpointFrames = 4_000
    package var forcedCheckpointTimeout = 50
    /// A long read keeps the log from restarting. At this length (66 MB), no transaction may add to the cache any more.
    package var logFrameLimit = 16_000
    /// This many pages later, none may remove from it either.
    package var logFrameReserve = 4_000
    /// What is kept allocated of the log, in bytes: as much as stores in quick succession need, so that a full disk can still evict,
    /// and no commit truncates the log and allocates it again.
    package var logSizeLimit = 17 * 1024 * 1024
    /// A staged file that has not changed for this long is left over from a crash.
    package var stagingAge: Int64 = 10 * 60 * 1000
    /// Before reporting a miss, a lookup compares the index's files, unless it did so within this time.
    package var presenceInterval: Int64 = 100
    /// Maximum number and bytes of blobs waiting to be unlinked. Beyond it, the caller unlinks them itself.
    package var unlinkBacklogCount = 1_000
    package var unlinkBacklogBytes: Int64 = 64 * 1024 * 1024
    /// How long a blob that was replaced or removed alone waits to be unlinked with others. What waits when the process ends stays until
    /// a sweep.
    package var unlinkDelay: Int64 = 2
    /// Entries stored this long before a power cut are not trusted: the system writes a file within half a minute.
    package var writeBackTime: Int64 = 60_000
    /// How long after the machine has started its clock may still be wrong: some have no battery for it, and ask a server.
    package var clockSettleTime: Int64 = 600_000

    package init() {}
}
