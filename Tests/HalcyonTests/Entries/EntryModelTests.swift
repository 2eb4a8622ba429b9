import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Random operations on a cache and on an array of structs: both list, count and remove the same.
@Suite(.endsEvenIfItHangs) struct EntryModelTests {
    private static func tuning(_ batchSize: Int?) -> Tuning {
        var tuning = Tuning.patient
        if let batchSize { tuning.batchSize = batchSize }
        return tuning
    }

    @Test(arguments: 0..<8) func `one storage agrees with a model`(number: UInt64) throws {
        try run(number, tuning: Self.tuning(nil), storages: 1, steps: 120)
    }

    @Test(arguments: 1...3) func `a storage with batches of one, two and three agrees with a model`(size: Int) throws {
        try run(UInt64(100 + size), tuning: Self.tuning(size), storages: 1, steps: 40)
    }

    @Test(arguments: 0..<4) func `two storages on one folder agree with a model`(number: UInt64) throws {
        try run(200 + number, tuning: Self.tuning(number.isMultiple(of: 2) ? nil : 3), storages: 2, steps: 60)
    }

    private func run(_ number: UInt64, tuning: Tuning, storages: Int, steps: Int) throws {
        var base = SeededGenerator.ofThisRun
        let seed = base.next() &+ number
        let cache = try CacheFixture(tuning: tuning)
        var run = ModelRun(cache: cache, others: (1..<storages).map { _ in cache.makeStorage() }, seed: seed)
        for step in 0..<steps {
            try run.step()
            if step % 5 == 4 { try run.compare() }
        }
        try cache.requireViews(run.about)
        try cache.requireClean()
    }
}
