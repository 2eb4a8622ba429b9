/// What a batchwise removal has taken away.
package struct Removal: Sendable {
    /// The blobs that went, in the order in which they went.
    package private(set) var names: [BlobName] = []
    /// What they held.
    package private(set) var bytes: Int64 = 0
    /// Why it ended early, if it did: a batch of which nothing could be removed.
    package var failure: (any Error)?

    package init() {}

    package var entries: Int { names.count }

    mutating func add(_ entries: [Entry]) {
        names += entries.map(\.name)
        bytes += entries.reduce(0) { $0 + $1.size }
    }

    /// The names, unless nothing went although something should have: a clean that got somewhere is a success, and one
    /// file that cannot be removed must not hide what went.
    func namesOrFailure() throws -> [BlobName] {
        if let failure, names.isEmpty { throw failure }
        return names
    }
}
