import Foundation
import Halcyon
import HalcyonTestSupport

/// A process is stopped during a transaction, and then continues or is killed. Meanwhile the others can read, their stores fail within the
/// timeout, they lose nothing, and they store again as soon as the lock is free.
struct FrozenWriter {
    let run: Run
    private let keys = KeySpace(pinned: 10, loose: 30)
    private var continued = 0
    private var killed = 0

    init(run: Run) { self.run = run }

    var summary: String { "frozen with the write lock: \(continued) continued, \(killed) were killed" }

    mutating func perform(round: Int) throws {
        var generator = run.generator(ofRound: round)
        let folder = run.workplace.folder(named: "frozen-\(round)")
        let bystander = try makeBystander(on: folder)
        let team = try Team(run.workplace)
        try team.add(
            .plain, on: folder, keys: keys, seed: generator.next(), operations: 400,
            freezeAtCommit: .random(in: 1...100, using: &generator))
        try team.begin()
        let writer = team.members[0].process
        try wait(for: "the writer to stop itself") { writer.hasStopped() }
        var violations = lockViolations(of: writer, on: folder, "when it stopped")
        violations += try bystander.lookAround()
        violations += lockViolations(of: writer, on: folder, "after the other processes worked")

        let goesOn = Bool.random(using: &generator)
        goesOn ? writer.send(SIGCONT) : writer.destroy()
        let goneAt = MonotonicClock.now
        violations += try bystander.resume()
        let (logs, faults) =
            goesOn ? try team.finish(within: 60) : (try team.logs([team.members[0].order.number: goneAt]), [])
        bystander.worker.cache.close()

        var chronicle = Chronicle(before: [:], keys: keys)
        logs.forEach { chronicle.add($0) }
        chronicle.add(try bystander.log(), toleratingFailures: true)
        let inspector = try Inspector(run.workplace, cache: folder, keys: keys)
        _ = try inspector.inspect(&chronicle, allowing: goesOn ? .nothing : .leftovers, using: &generator)
        try run.require(violations + faults + inspector.violations + chronicle.judge(), round: round)
        try run.workplace.remove(folder)
        try run.workplace.removeLogs()
        if goesOn { continued += 1 } else { killed += 1 }
    }

    /// Distinguishes a lost lock from a process that has not stopped.
    private func lockViolations(of writer: ChildProcess, on folder: URL, _ moment: String) -> [Violation] {
        #if os(Linux)
            guard FileLock.isWriting(writer.pid, index: Cache.indexPath(in: folder)) == false else { return [] }
            return [Violation(.disagreement, "the frozen process does not hold the write lock \(moment)")]
        #else
            return []
        #endif
    }

    private func makeBystander(on folder: URL) throws -> Bystander {
        let number = run.workplace.nextWorker()
        let log = run.workplace.logPath(of: number)
        let bystander = try Bystander(number: number, folder: folder, keys: keys, log: log)
        for key in keys.all { try bystander.worker.perform(.store(key: key, length: 500, isLasting: true)) }
        bystander.worker.cache.settle()
        return bystander
    }
}
