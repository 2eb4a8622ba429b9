import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct FrameSequenceTests {
    @Test func `frames of one time stand at one place each`() {
        #expect(FrameSequence.places(delays: [7, 7, 7]) == [0, 1, 2])
    }

    @Test func `a frame that is shown for longer stands at more places`() {
        #expect(FrameSequence.places(delays: [10, 30, 20]) == [0, 1, 1, 1, 2, 2])
        #expect(FrameSequence.places(delays: [2, 3]) == [0, 0, 1, 1, 1])
    }

    @Test func `delays that no clock has make no sequence of millions`() {
        let places = FrameSequence.places(delays: [1, 65_535, 65_534, .max, 0, -5])
        #expect(places.count < 20_000)
        #expect(Set(places) == Set(0..<6))
    }

    @Test func `no frames, no places`() { #expect(FrameSequence.places(delays: []) == []) }
}
