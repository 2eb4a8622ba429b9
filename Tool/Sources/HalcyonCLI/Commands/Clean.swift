internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Removes expired entries and, over a limit, the least recently used ones.
struct Clean: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove expired entries and, over a limit, the least recently used ones.",
        discussion: """
            With --limit, a cache that has reached the limit is evicted down to half of it; --low-water sets another \
            fraction. With --count-limit, a cache that has more entries is evicted in the same way. If the volume has less free space than \
            --keep-free, entries are evicted until an eighth more than that is free. Without a limit, only expired entries \
            are removed. Pinned entries stay. If they alone exceed a limit, the command says so.

            EXAMPLES
              halcyon clean --folder ./cache
              halcyon clean --folder ./cache --limit 50MB
              halcyon clean --folder ./cache --count-limit 10000 --low-water 0.9
              halcyon clean --folder ./cache --keep-free 2GB --json
            """)

    @OptionGroup var cache: CacheOptions

    @OptionGroup var limits: LimitOptions

    @Flag(help: "An object instead of lines.")
    var json = false

    private struct Outcome {
        var expired = Removal()
        var evicted = Removal()
        var left = Totals(entries: 0, bytes: 0)
        var pinnedExcess: Totals?
        var freeBytes: Int64?
        var isInterrupted = false
    }

    func run() throws {
        let interruption = Interruption()
        try cache.withStorage { storage in
            let outcome = try clean(storage, until: interruption)
            try Output.print(json ? object(of: outcome).indented() : lines(of: outcome))
            if outcome.isInterrupted {
                Message.print("Interrupted: the entries above were removed, the others are unchanged.")
                throw ExitCode.interrupted
            }
            if let failure = outcome.expired.failure ?? outcome.evicted.failure {
                throw Failure("Some entries could not be removed. \(CacheStorageError(failure))")
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
        outcome.expired = try storage.removeExpired(shouldContinue: goOn)
        limits.apply(to: storage)
        if !interruption.isRequested {
            outcome.evicted = try storage.evict(storage.config.limits, shouldContinue: goOn)
        }
        outcome.isInterrupted = interruption.isRequested
        let usage = try storage.usage()
        (outcome.left, outcome.pinnedExcess, outcome.freeBytes) = (usage.total, usage.pinnedExcess, usage.freeBytes)
        return outcome
    }

    // MARK: Text

    private func lines(of outcome: Outcome) -> String {
        var lines = ["Expired: \(Totals(outcome.expired).text) removed."]
        if !limits.isEmpty {
            lines.append("Over the limit: \(Totals(outcome.evicted).text) evicted, least recently used first.")
        }
        lines.append("Left: \(outcome.left.text).")
        if let excess = outcome.pinnedExcess { lines.append(sentence(on: excess)) }
        if let free = outcome.freeBytes, let keep = limits.keepFree?.bytes, free < keep {
            lines.append("The volume still has only \(ByteSize(free)) free. Other files take up the rest.")
        }
        return lines.joined(separator: "\n")
    }

    private func sentence(on excess: Totals) -> String {
        let parts = [
            excess.bytes > 0 ? ByteSize(excess.bytes).description : nil,
            excess.entries > 0 ? Count.entries(Int(excess.entries)) : nil,
        ]
        return "Pinned entries alone exceed the limit by \(parts.compactMap(\.self).joined(separator: " and ")). "
            + "List them with ‘halcyon list --pinned’ and unpin some with ‘halcyon unpin’, or raise the limit."
    }

    private func object(of outcome: Outcome) -> JSON {
        let members: [(name: String, value: JSON)] = [
            ("expired", Totals(outcome.expired).object), ("evicted", Totals(outcome.evicted).object),
            ("left", outcome.left.object), ("pinned_excess", outcome.pinnedExcess?.object ?? .null),
            ("free", outcome.freeBytes.map { .integer($0) } ?? .null),
            ("interrupted", .bool(outcome.isInterrupted)),
        ]
        return .object(JSON.Members(members + limits.members))
    }
}
