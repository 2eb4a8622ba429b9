/// What a batchwise removal has taken away.
@_spi(HalcyonTool) public struct Removal: Sendable {
    /// The blobs that went, in the order in which they went; empty when nobody wanted their names.
    package private(set) var names: [BlobName] = []
    public private(set) var entries = 0
    /// What they held.
    public private(set) var bytes: Int64 = 0
    /// Milliseconds for which the entries had not been used, all together.
    private(set) var unused: Int64 = 0
    /// Whether all that was to go has gone.
    var isComplete = false
    /// The largest row id of the last batch.
    private(set) var lastID = Int64.min
    /// Why it ended early, if it did: a batch of which nothing could be removed.
    public var failure: (any Error)?

    public init() {}

    mutating func add(_ batch: [Entry], keepingNames: Bool, at now: Timestamp) {
        if keepingNames { names += batch.map(\.name) }
        entries += batch.count
        bytes += batch.reduce(0) { $0 &+ $1.size }
        unused += batch.reduce(0) { $0 &+ max(0, now - $1.accessedAt) }
        lastID = batch.map(\.id).max() ?? lastID
    }

    static func + (left: Removal, right: Removal) -> Removal {
        var sum = left
        sum.names += right.names
        sum.entries += right.entries
        sum.bytes += right.bytes
        sum.unused += right.unused
        (sum.isComplete, sum.lastID, sum.failure) = (right.isComplete, right.lastID, right.failure)
        return sum
    }

    /// The names, unless nothing went although something should have: a clean that got somewhere is a success, and one
    /// file that cannot be removed must not hide what went.
    func namesOrFailure() throws -> [BlobName] {
        if let failure, entries == 0 { throw failure }
        return names
    }
}
