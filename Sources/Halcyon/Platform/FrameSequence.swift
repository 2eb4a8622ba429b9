/// Plays frames of different durations on systems where all pictures have the same duration, by repeating a frame in proportion
/// to its duration.
enum FrameSequence {
    /// Malicious delays must not create millions of places.
    private static let mostPlaces = 10_000

    /// Returns the frame index at each place. All places have the same duration.
    ///
    /// - Parameter delays: the delays of the frames in hundredths of a second, as in GIF.
    static func places(delays: [Int]) -> [Int] {
        let delays = delays.map { min(max(1, $0), Int(UInt16.max)) }
        // The sum may be too large for the `Int` of a watch.
        let average = Int(clamping: delays.reduce(0) { $0 + Double($1) } / Double(mostPlaces))
        let step = max(delays.reduce(0, greatestCommonDivisor), average, 1)
        return delays.indices.flatMap { repeatElement($0, count: max(1, (delays[$0] + step / 2) / step)) }
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : greatestCommonDivisor(second, first % second)
    }
}
