/// The clears of the disk, and the removals and cleans in batches, that are under way, and the calls that wait for them.
///
/// A call waits for all clears, because it would meet the disk half cleared, but only for earlier removals and cleans, which have
/// numbers in the order of their turns: later ones do not hold it up.
struct DiskTurns {
    /// The number of clears that are under way.
    var clears = 0
    private var latest = 0
    /// Removals and cleans.
    private var batched: Set<Int> = []
    private var waiting: [(number: Int, body: @Sendable (Int) -> Void)] = []

    var isClearing: Bool { clears > 0 }

    private mutating func next() -> Int {
        latest += 1
        return latest
    }

    mutating func begin() -> Int {
        let number = next()
        batched.insert(number)
        return number
    }

    mutating func end(_ number: Int) { batched.remove(number) }

    mutating func wait(_ body: @escaping @Sendable (Int) -> Void) { waiting.append((next(), body)) }

    /// Removes and returns a call that need not wait any longer; nil if there is none. The call is then under way.
    mutating func takeNext() -> (@Sendable () -> Void)? {
        guard !isClearing, let (number, body) = waiting.first, batched.allSatisfy({ $0 > number }) else { return nil }
        waiting.removeFirst()
        batched.insert(number)
        return { body(number) }
    }
}
