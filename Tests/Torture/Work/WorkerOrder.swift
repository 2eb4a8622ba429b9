import ArgumentParser
import Foundation

/// The orders of a worker process, as JSON on its command line.
struct WorkerOrder: Codable, Sendable {
    let number: Int
    /// The parent of the cache's folder.
    let folder: URL
    let log: String
    let mix: Mix
    let seed: UInt64
    let pinned: Int
    let loose: Int
    /// The number of entries beyond which an eviction removes some; 0 for none.
    let countLimit: Int
    /// nil for no end before it is killed.
    let operations: Int?
    /// The commit before which it stops itself while it holds the write lock.
    let freezeAtCommit: Int?
    let world: World

    var keys: KeySpace { KeySpace(pinned: pinned, loose: loose) }

    var arguments: [String] {
        get throws { ["work", String(decoding: try JSONEncoder().encode(self), as: UTF8.self)] }
    }
}

extension WorkerOrder: ExpressibleByArgument {
    init?(argument: String) {
        guard let order = try? JSONDecoder().decode(WorkerOrder.self, from: Data(argument.utf8)) else { return nil }
        self = order
    }
}
