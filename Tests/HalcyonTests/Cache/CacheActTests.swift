import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Whatever is called in whichever order, and whenever the work on disk runs, the calls have the effects that they have one by one.
@Suite(.endsEvenIfItHangs, .serialized) struct CacheActTests {
    @Test func `random calls`() async throws {
        for number in 0..<Soak.seeds(short: 60) {
            var base = SeededGenerator.ofThisRun
            let seed = base.next() &+ UInt64(number)
            var generator = SeededGenerator(seed: seed)
            let acts = (0..<30).map { _ in CacheAct.random(using: &generator) }
            guard let failure = try await failure(of: acts) else { continue }
            let shortest = try await shrunk(acts)
            let last = try await self.failure(of: shortest)
            Issue.record("seed \(seed): \(last ?? "not again")\n\(text(of: shortest))")
            Issue.record("at first, \(failure)\n\(text(of: acts))")
            return
        }
    }

    private func failure(of acts: [CacheAct]) async throws -> String? {
        var failure: String?
        try await withImageCache { failure = try await CacheActRun($0).failure(of: acts) }
        return failure
    }

    private func text(of acts: [CacheAct]) -> String { acts.map { "\($0)" }.joined(separator: "\n") }

    /// The acts without those that the failure does not need.
    private func shrunk(_ acts: [CacheAct]) async throws -> [CacheAct] {
        var shortest = acts
        var index = 0
        while index < shortest.count {
            var candidate = shortest
            candidate.remove(at: index)
            if try await failure(of: candidate) != nil { (shortest, index) = (candidate, 0) } else { index += 1 }
        }
        return shortest
    }
}
