import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The power fails during an operation, and the disk forgets what it had not written.
///
/// In every case the index opens, no byte is wrong, and values stored more than a minute before are present.
@Suite(.endsEvenIfItHangs) struct PowerCutTests {
    private static let seeds: [UInt64] = {
        var generator = SeededGenerator.ofThisRun
        return (0..<Soak.seeds(short: 8)).map { _ in generator.next() }
    }()

    @Test func `what is not trusted in one index says nothing about the next one`() {
        let condition = FolderCondition()
        var state = IndexState()
        state.boots = 5
        state.distrustedBoots = BootTime(boot: 4, uptime: 1)...BootTime(boot: 4, uptime: 9)
        condition.update(from: state)
        // Another process has ended the distrust of this index.
        state.distrustedBoots = nil
        condition.update(from: state)
        #expect(condition.isDistrusting)
        state.boots = 1
        condition.update(from: state)
        #expect(!condition.isDistrusting)
    }

    @Test(arguments: seeds, [true, false])
    func `after a power cut, every remaining value is right`(seed: UInt64, namesAreOrdered: Bool) throws {
        let beginning = PowerCutRun.Beginning.allCases[Int(seed % 3)]
        let run = try PowerCutRun(seed: seed, beginning, namesAreOrdered: namesAreOrdered)
        for _ in 0..<4 { try run.liveOnce() }
        #expect(run.violations.isEmpty)
        print(
            "beginning with \(beginning), \(run.cuts) power cuts in \(run.operations) operations: \(run.found) values left, \(run.missed) not"
        )
    }

    /// Proves that the model can find wrong bytes.
    @Test func `without distrust of the last minute, bytes are wrong`() throws {
        var tuning = PowerCutRun.tuning
        tuning.writeBackTime = -StampSource.tolerance - 1
        var findings: [String] = []
        for seed in 0..<20 where findings.isEmpty {
            let run = try PowerCutRun(seed: UInt64(seed), tuning: tuning)
            for _ in 0..<4 { try run.liveOnce() }
            findings = run.violations.filter { $0.hasPrefix("wrong bytes") }
        }
        #expect(!findings.isEmpty)
    }
}
