import Testing
import Workload

@Suite struct SimulatedCacheTests {
    private func left(_ keys: [Int], of cache: inout SimulatedCache, from time: Int) -> [Int] {
        zip(keys, time...).filter { cache.request($0, at: $1) }.map(\.0)
    }

    @Test func `evictions remove the least recently used entries down to the low-water mark`() {
        var cache = SimulatedCache(limit: 4, lowWaterRatio: 0.5, countsReads: false)
        _ = left([1, 2, 3, 4, 1, 5], of: &cache, from: 1)
        #expect(left([1, 5], of: &cache, from: 7) == [1, 5])
        #expect(left([4], of: &cache, from: 9) == [])
    }

    @Test func `entries that are read often survive a scan if reads count`() {
        for countsReads in [false, true] {
            var cache = SimulatedCache(limit: 4, lowWaterRatio: 0.5, countsReads: countsReads)
            _ = left([1, 2, 1, 1, 10, 11, 12, 13], of: &cache, from: 1)
            #expect(left([1], of: &cache, from: 20) == (countsReads ? [1] : []))
        }
    }

    @Test func `a trace is reproducible, and no scanned key repeats`() {
        let trace = RequestTrace(hasScans: true)
        #expect(trace.requests == RequestTrace(hasScans: true).requests)
        #expect(trace.requests.count == 390_000)
        let scanned = trace.requests.filter { $0 >= RequestTrace.keyCount }
        #expect(scanned.count == 90_000 && Set(scanned).count == 90_000)
    }
}
