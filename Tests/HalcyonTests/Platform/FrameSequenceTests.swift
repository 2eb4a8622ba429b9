import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct FrameSequenceTests {
    @Test func `frames of equal duration get one place each`() {
        #expect(FrameSequence.places(delays: [7, 7, 7]) == [0, 1, 2])
    }

    @Test func `a longer frame gets more places`() {
        #expect(FrameSequence.places(delays: [10, 30, 20]) == [0, 1, 1, 1, 2, 2])
        #expect(FrameSequence.places(delays: [2, 3]) == [0, 0, 1, 1, 1])
    }

    @Test func `absurd delays do not produce millions of places`() {
        let places = FrameSequence.places(delays: [1, 65_535, 65_534, .max, 0, -5])
        #expect(places.count < 20_000)
        #expect(Set(places) == Set(0..<6))
    }

    @Test func `without frames there are no places`() { #expect(FrameSequence.places(delays: []) == []) }
}
