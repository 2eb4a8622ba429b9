import HalcyonTestSupport
import Testing

@Suite struct ShrinkingTests {
    @Test func `shrinking keeps the elements that the failure needs, in order`() {
        for needed in [[17], [3, 80], [0, 1, 2], [0, 50, 99], [99]] {
            let left = shrunk(Array(0..<100)) { Set(needed).isSubset(of: $0) }
            #expect(left == needed)
        }
    }

    @Test func `shrinking removes everything if the failure needs nothing, and nothing if it needs everything`() {
        #expect(shrunk(Array(0..<10)) { _ in true } == [])
        #expect(shrunk(Array(0..<10)) { $0.count == 10 } == Array(0..<10))
    }

    @Test func `dependencies of a removed step are removed too`() {
        // A pair may be left out as a whole, or its second half first.
        let left = shrunk([1, 2, 3, 4, 5, 6]) { rest in
            rest.contains(6) && (!rest.contains(5) || rest.contains(1))
        }
        #expect(left == [6])
    }

    @Test func `after shrinking no single element can be removed, and the number of attempts is bounded`() {
        var asked = 0
        let left = shrunk(Array(0..<256)) { rest in
            asked += 1
            return rest.reduce(0, +) >= 20_000
        }
        #expect(left.reduce(0, +) >= 20_000)
        #expect(left.allSatisfy { left.reduce(0, +) - $0 < 20_000 })
        #expect(asked < 4_000)
    }
}
