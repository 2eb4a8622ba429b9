import BenchReport

/// One of the contestants that do the same work.
struct Contestant {
    enum Role: CaseIterable { case halcyon, limit, attribute }

    let role: Role
    let play: (Item) throws -> Void
    /// Called before each turn with its items, outside the clock.
    var prepare: ([Item]) throws -> Void = { _ in }
    /// Completes deferred work, outside the clock.
    var settle: () -> Void = {}
    /// Calls of one turn, if a call takes too long for as many as the others make.
    var calls = Int.max

    /// Plays each turn once before, outside the clock.
    var warmed: Contestant {
        var contestant = self
        contestant.prepare = { [play] in try $0.forEach(play) }
        return contestant
    }
}

/// The measurements of all contestants.
struct Outcome {
    private var samples: [Contestant.Role: Samples] = [:]

    subscript(role: Contestant.Role) -> Samples {
        get { samples[role] ?? Samples() }
        set { samples[role] = newValue }
    }
}

/// Lets contestants take turns, so that a slow minute of the machine affects all of them.
///
/// A turn is several calls in a row: after a single call the processor's caches would be full of the others' code, which would slow the
/// shortest calls down most. The first contestant changes with each turn.
struct Turns {
    var rounds = 5
    var turns = 8
    /// Calls of one turn.
    var length = 50

    /// - Parameter items: provides that many items for one turn of all contestants.
    func run(_ contestants: [Contestant], items: (Int) -> [Item]) throws -> Outcome {
        var outcome = Outcome()
        // Warms up.
        _ = try turn(contestants, items(length))
        for _ in 0..<rounds {
            var times: [Contestant.Role: [Double]] = [:]
            for turn in 0..<turns {
                let order = turn.isMultiple(of: 2) ? contestants : contestants.reversed()
                times.merge(try self.turn(order, items(length))) { $0 + $1 }
            }
            for (role, times) in times { outcome[role].add(times) }
        }
        return outcome
    }

    private func turn(_ contestants: [Contestant], _ items: [Item]) throws -> [Contestant.Role: [Double]] {
        var times: [Contestant.Role: [Double]] = [:]
        for contestant in contestants {
            try contestant.prepare(items)
            times[contestant.role] = try items.prefix(contestant.calls).map { item in
                try microseconds { try contestant.play(item) }
            }
            contestant.settle()
        }
        return times
    }
}
