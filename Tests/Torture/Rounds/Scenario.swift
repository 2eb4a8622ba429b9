import Foundation

/// What the processes of a `kill` round are doing when they are killed.
enum Scenario: String, CaseIterable, Sendable {
    case plain, bursts, clearing
    /// An eviction of half of ten thousand entries.
    case evicting
    /// The adoption of a folder of files without an index.
    case adopting
    /// The upgrade of an index of an older version.
    case upgrading

    /// The order of the scenarios: each of them occurs within ten rounds.
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

    /// The number of entries beyond which an eviction removes half of them.
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

    /// The seconds before a process is killed: mostly few, to hit openings, upgrades and adoptions.
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
