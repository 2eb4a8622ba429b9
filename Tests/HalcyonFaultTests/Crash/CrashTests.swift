import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The process ends (`kill -9`) at each step of each operation in turn; then another one inspects the cache.
///
/// Steps are the calls of the file system and of SQLite that change something on the disk, in any thread, so work off the caller's path is
/// interrupted too. After any step, the operation is complete or has changed nothing, acknowledged changes are present, and leftovers are
/// found.
@Suite(.endsEvenIfItHangs) struct CrashTests {
    @Test(arguments: StorageOperation.allCases)
    func `a process that ends at any step loses nothing and mixes nothing`(operation: StorageOperation) throws {
        try endAtEachStep(of: operation, tearingWrites: false)
    }

    /// A write that the end of a process or a full disk has cut in two.
    @Test(arguments: [StorageOperation.overwrite, .storeTogether, .remove, .migrate, .checkpoint, .close])
    func `a torn write counts as no write`(operation: StorageOperation) throws {
        try endAtEachStep(of: operation, tearingWrites: true)
    }

    private func endAtEachStep(of operation: StorageOperation, tearingWrites: Bool) throws {
        let prepared = try PreparedFolder(for: operation)
        let server = try CrashServerProcess()
        let count = try steps(of: operation, tearingWrites, prepared, server)
        let steps = Soak.spread(count, short: 32).map { $0 + 1 }
        var kills = 0
        for step in steps {
            let run = CrashingRun(operation, step: step, tearsWrites: tearingWrites)
            guard try end(run, prepared, server) == .killed else { continue }
            kills += 1
        }
        print("crash: \(operation)\(tearingWrites ? ", torn writes" : ""): \(kills) kills at \(count) steps")
        // The number of steps varies by a few, because it includes housekeeping.
        #expect(kills >= steps.count - 3, "\(operation): \(kills) of \(steps.count)")
    }

    /// The number of its steps: it ends normally only if the step does not exist.
    private func steps(
        of operation: StorageOperation, _ tearsWrites: Bool, _ prepared: PreparedFolder, _ server: CrashServerProcess
    ) throws -> Int {
        var (killed, finished) = (0, 1)
        while try end(CrashingRun(operation, step: finished, tearsWrites: tearsWrites), prepared, server) == .killed {
            (killed, finished) = (finished, 2 * finished)
            try #require(finished < 10_000)
        }
        while finished - killed > 1 {
            let middle = (killed + finished) / 2
            let run = CrashingRun(operation, step: middle, tearsWrites: tearsWrites)
            if try end(run, prepared, server) == .killed { killed = middle } else { finished = middle }
        }
        return killed
    }

    private func end(
        _ run: CrashingRun, _ prepared: PreparedFolder, _ server: CrashServerProcess
    ) throws -> CrashServerProcess.Outcome {
        let folder = try prepared.copy()
        let outcome = try server.perform(run, in: folder.url)
        let about = "\(run.operation), step \(run.step), \(outcome)"
        try #require(outcome == .killed || outcome == .finished, "\(about)")
        let before = CacheContents(before: run.operation)
        let allowed = [before.after(run.operation)] + (outcome == .killed ? [before] : [])
        let inspection = Inspection(folder: folder, operation: run.operation) { allowed.contains($0) }
        let findings = try inspection.findings()
        #expect(findings.isEmpty, "\(about): \(findings.joined(separator: "; "))")
        return outcome
    }
}
