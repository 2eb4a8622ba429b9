import ArgumentParser
import Foundation

/// What a worker process is told to do, as JSON on its command line.
struct WorkerOrder: Codable, Sendable {
    let number: Int
    /// The parent of the cache's folder.
    let folder: URL
    let log: String
    let mix: Mix
    let seed: UInt64
    let pinned: Int
    let loose: Int
    /// Entries beyond which an eviction takes some; 0, none.
    let countLimit: Int
    /// nil: until it is killed.
    let operations: Int?
    /// The commit before which it stops itself, under the index's write lock.
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
