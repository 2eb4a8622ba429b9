/// The result of a removal in batches.
@_spi(HalcyonTool) public struct Removal: Sendable {
    /// The blobs that were removed, in order; empty if the caller did not need their names.
    package private(set) var names: [BlobName] = []
    public private(set) var entries = 0
    /// The bytes of the removed entries.
    public private(set) var bytes: Int64 = 0
    /// The milliseconds since the last use of each removed entry, added up.
    private(set) var unused: Int64 = 0
    /// Whether the removal is complete.
    var isComplete = false
    /// The largest row id of the last batch.
    private(set) var lastID = Int64.min
    /// Why the removal ended early, if it did, for example because nothing in a batch could be removed.
    public var failure: (any Error)?

    public init() {}

    mutating func add(_ batch: [Entry], keepingNames: Bool, at now: Timestamp) {
        if keepingNames { names += batch.map(\.name) }
        entries += batch.count
        bytes &+= batch.reduce(0) { $0 &+ $1.size }
        unused &+= batch.reduce(0) { $0 &+ max(0, now - $1.accessedAt) }
        lastID = batch.map(\.id).max() ?? lastID
    }

    /// Adds a later part of the same removal.
    mutating func add(_ later: Removal) {
        names += later.names
        entries += later.entries
        bytes &+= later.bytes
        unused &+= later.unused
        (isComplete, lastID, failure) = (later.isComplete, later.lastID, later.failure)
    }

    func adding(_ later: Removal) -> Removal {
        // Usual, and called for each batch, so the names are not copied.
        guard entries > 0 else { return later }
        var sum = self
        sum.add(later)
        return sum
    }

    /// Returns the names, or throws if an error prevented any removal. A clean that removed something is a success: one file that
    /// cannot be removed must not hide the others.
    func namesOrFailure() throws -> [BlobName] {
        if let failure, entries == 0 { throw failure }
        return names
    }
}
