import Foundation

/// What the processes of a round of `kill` are in the middle of when they end.
enum Scenario: String, CaseIterable, Sendable {
    case plain, bursts, clearing
    /// Half of ten thousand entries are being evicted.
    case evicting
    /// A folder of files without an index is being taken over.
    case adopting
    /// An index of an earlier version is being upgraded.
    case upgrading

    /// Which comes when: each of them within ten rounds.
    static func of(round: Int) -> Scenario {
        let turns: [Scenario] = [
            .plain, .bursts, .adopting, .upgrading, .clearing, .plain, .bursts, .upgrading, .adopting, .evicting,
        ]
        return turns[(round - 1) % turns.count]
    }

    var keys: KeySpace {
        switch self {
        case .plain, .bursts: KeySpace(pinned: 50, loose: 100)
        case .clearing: KeySpace(pinned: 30, loose: 270)
        case .evicting: KeySpace(pinned: 20, loose: 10_000)
        case .adopting: KeySpace(pinned: 0, loose: 3_000)
        case .upgrading: KeySpace(pinned: 50, loose: 1_500)
        }
    }

    /// Entries beyond which an eviction takes half of them.
    var countLimit: Int {
        switch self {
        case .plain: 120
        case .evicting: 9_999
        case .bursts, .clearing, .adopting, .upgrading: 0
        }
    }

    func mix(ofProcess index: Int) -> Mix {
        switch self {
        case .plain, .adopting, .upgrading: .plain
        case .bursts: .bursts
        case .clearing: .clearing
        case .evicting: index == 0 ? .evicting : .plain
        }
    }

    /// After how many seconds a process is killed: most early, where openings, upgrades and adoptions are.
    func delay(using generator: inout some RandomNumberGenerator) -> Double {
        let longest: Double =
            switch self {
            case .upgrading: 0.12
            case .adopting: 0.4
            case .plain, .bursts, .clearing, .evicting: 1
            }
        let shortest = 0.001
        return shortest * pow(longest / shortest, Double.random(in: 0...1, using: &generator))
    }
}
