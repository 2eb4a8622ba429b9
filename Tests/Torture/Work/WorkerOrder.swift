import ArgumentParser
import Foundation

/// What a worker process is told to do.
struct WorkerOrder: ParsableArguments {
    @Option var number: Int
    @Option var folder: String
    @Option var log: String
    @Option var mix: Mix
    @Option var seed: UInt64
    @Option var pinned: Int
    @Option var loose: Int
    /// Entries beyond which an eviction takes some.
    @Option var countLimit = 0
    /// Until it is killed, when there is none.
    @Option var operations: Int?
    /// The commit before which it stops itself, under the index's write lock.
    @Option var freezeAtCommit: Int?

    var keys: KeySpace { KeySpace(pinned: pinned, loose: loose) }

    /// The command line that says it.
    var arguments: [String] {
        var words = [
            "work", "--number", "\(number)", "--folder", folder, "--log", log, "--mix", mix.rawValue, "--seed", "\(seed)",
            "--pinned", "\(pinned)", "--loose", "\(loose)", "--count-limit", "\(countLimit)",
        ]
        if let operations { words += ["--operations", "\(operations)"] }
        if let freezeAtCommit { words += ["--freeze-at-commit", "\(freezeAtCommit)"] }
        return words
    }
}

extension Mix: ExpressibleByArgument {}

extension WorkerOrder {
    init(
        number: Int, cache: URL, log: String, mix: Mix, seed: UInt64, keys: KeySpace, countLimit: Int = 0,
        operations: Int? = nil, freezeAtCommit: Int? = nil
    ) {
        self.init()
        self.number = number
        folder = cache.path
        self.log = log
        self.mix = mix
        self.seed = seed
        pinned = keys.pinned.count
        loose = keys.loose.count
        self.countLimit = countLimit
        self.operations = operations
        self.freezeAtCommit = freezeAtCommit
    }
}
