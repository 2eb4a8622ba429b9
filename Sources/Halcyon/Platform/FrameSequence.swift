/// Plays frames of different times where the system knows one time for all pictures: a frame stands at as many places in the
/// sequence as its time asks for.
enum FrameSequence {
    /// Hostile delays must not make a sequence of millions.
    private static let mostPlaces = 10_000

    /// The number of the frame at each place. All places take the same time.
    ///
    /// - Parameter delays: of the frames, in hundredths of a second, as GIF has them.
    static func places(delays: [Int]) -> [Int] {
        let delays = delays.map { min(max(1, $0), Int(UInt16.max)) }
        let step = max(delays.reduce(0, greatestCommonDivisor), delays.reduce(0, +) / mostPlaces, 1)
        return delays.indices.flatMap { repeatElement($0, count: max(1, (delays[$0] + step / 2) / step)) }
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : greatestCommonDivisor(second, first % second)
    }
}
