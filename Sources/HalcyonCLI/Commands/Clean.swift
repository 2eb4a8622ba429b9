internal import ArgumentParser
internal import Foundation
internal import Halcyon

/// Removes what has expired and, over a limit, what was used least recently.
struct Clean: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove expired entries and, over a limit, the least recently used ones.",
        discussion: """
            With --limit, entries are evicted down to half of it once their total has reached it: the next cleaning is \
            then far away. Without it, only expired entries go.

            EXAMPLES
              halcyon clean --folder ./cache
              halcyon clean --folder ./cache --limit 50MB
            """)

    @OptionGroup var cache: CacheOptions

    @Option(
        help: ArgumentHelp("The size from which on entries are evicted, as 50MB or 1.5GiB.", valueName: "size"),
        transform: ByteSize.parse)
    var limit: ByteSize?

    @Flag(help: "An object instead of lines.")
    var json = false

    func validate() throws {
        if let limit, limit.bytes == 0 {
            throw ValidationError("A limit of 0 bytes keeps nothing. Use ‘halcyon remove --all’ to remove everything.")
        }
    }

    private struct Outcome {
        var expired = Removal()
        var evicted = Removal()
        var left = Totals(entries: 0, bytes: 0)
        var isInterrupted = false
    }

    func run() throws {
        let interruption = Interruption()
        try cache.withStorage { storage in
            let outcome = try clean(storage, until: interruption)
            try Output.print(json ? object(of: outcome).indented() : lines(of: outcome))
            if outcome.isInterrupted {
                Message.print("Interrupted: what is named above is gone, and the rest is as it was.")
                throw ExitCode.interrupted
            }
            if let failure = outcome.expired.failure ?? outcome.evicted.failure {
                throw Failure("Not all of it could be removed. \(CacheStorageError(failure))")
            }
        }
    }

    private func clean(_ storage: Storage, until interruption: Interruption) throws -> Outcome {
        let bar = ProgressBar(total: nil)
        defer { bar.clear() }
        func goOn(_ removed: Removal) -> Bool {
            bar.show(removed.entries, "removed")
            return !interruption.isRequested
        }
        var outcome = Outcome()
        outcome.expired = try storage.removeExpired(goingOn: goOn)
        if let limit, !interruption.isRequested {
            outcome.evicted = try storage.evict(StorageLimits(bytes: limit.bytes), goingOn: goOn)
        }
        outcome.isInterrupted = interruption.isRequested
        outcome.left = try storage.summary().totals
        return outcome
    }

    private func lines(of outcome: Outcome) -> String {
        var lines = ["Expired: \(text(outcome.expired)) removed."]
        if limit != nil { lines.append("Over the limit: \(text(outcome.evicted)) evicted, least recently used first.") }
        return (lines + ["Left: \(text(outcome.left))."]).joined(separator: "\n")
    }

    private func text(_ removal: Removal) -> String {
        text(Totals(entries: Int64(removal.entries), bytes: removal.bytes))
    }

    private func text(_ totals: Totals) -> String { "\(Count.entries(Int(totals.entries))), \(ByteSize(totals.bytes))" }

    private func object(of outcome: Outcome) -> JSON {
        .object([
            "expired": object(of: outcome.expired), "evicted": object(of: outcome.evicted),
            "left": object(of: outcome.left),
            "limit": limit.map { .integer($0.bytes) } ?? .null, "interrupted": .bool(outcome.isInterrupted),
        ])
    }

    private func object(of removal: Removal) -> JSON {
        object(of: Totals(entries: Int64(removal.entries), bytes: removal.bytes))
    }

    private func object(of totals: Totals) -> JSON {
        .object(["entries": .integer(totals.entries), "bytes": .integer(totals.bytes)])
    }
}
