import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

extension EntryModel {
    /// A filter about existing entries: usually with one or several conditions, sometimes with none.
    func randomFilter(at now: Timestamp, using generator: inout SeededRandom) -> EntryFilter {
        var filter = EntryFilter()
        let changes = Self.conditions.shuffled(using: &generator).prefix(
            [0, 1, 1, 1, 2, 3, 5].randomElement(using: &generator) ?? 1)
        for change in changes { change(&filter, self, now, &generator) }
        return filter
    }

    typealias SeededRandom = HalcyonTestSupport.SeededGenerator
    private typealias Condition = @Sendable (inout EntryFilter, EntryModel, Timestamp, inout SeededRandom) -> Void

    private static let conditions: [Condition] = [
        { $0.keyPrefix = $1.key(&$3).text.randomPrefix(&$3) }, { $0.text = $1.key(&$3).text.randomPart(&$3) },
        { $0.baseKey = $1.key(&$3).base },
        { $0.baseKeys = [$1.key(&$3).base, $1.key(&$3).base, $1.key(&$3).base] },
        { $0.host = ["img1.EXAMPLE.com", "img2.example.com", "b", "", "none"].randomElement(using: &$3) },
        { $0.processorIdentifier = $1.key(&$3).processor },
        { $0.tag = ["red", "blue", "é", ""].randomElement(using: &$3) },
        { $0.minimumSize = $1.size(&$3) }, { $0.maximumSize = $1.size(&$3) },
        { $0.createdAfter = $1.date(\.created, $2, &$3) }, { $0.createdBefore = $1.date(\.created, $2, &$3) },
        { $0.accessedAfter = $1.date(\.accessed, $2, &$3) }, { $0.accessedBefore = $1.date(\.accessed, $2, &$3) },
        { $0.expiresBefore = $1.date(\.expiration, $2, &$3) }, { $0.isExpired = Bool.random(using: &$3) },
        { $0.isPinned = Bool.random(using: &$3) },
    ]

    func key(_ generator: inout SeededRandom) -> ModelKey {
        (entries.randomElement(using: &generator)?.key ?? ModelKey.all.randomElement(using: &generator))
            ?? ModelKey.all[0]
    }

    private func size(_ generator: inout SeededRandom) -> Int64 {
        (entries.randomElement(using: &generator)?.size ?? 0) + Int64.random(in: -1...1, using: &generator)
    }

    /// The time of an entry, or one close to it.
    private func date(_ path: KeyPath<ModelEntry, Date>, _ now: Timestamp, _ generator: inout SeededRandom) -> Date {
        let date = entries.randomElement(using: &generator)?[keyPath: path] ?? now.date
        return date + ([0, 0, 0.0004, -0.0004, 1, -1].randomElement(using: &generator) ?? 0)
    }
}

extension ModelEntry {
    fileprivate var expiration: Date { expiresAt.map { Timestamp(milliseconds: $0).date } ?? created }
}

extension String {
    fileprivate func randomPrefix(_ generator: inout EntryModel.SeededRandom) -> String {
        String(
            String.UnicodeScalarView(unicodeScalars.prefix(Int.random(in: 0...unicodeScalars.count, using: &generator)))
        )
    }

    fileprivate func randomPart(_ generator: inout EntryModel.SeededRandom) -> String {
        let scalars = Array(unicodeScalars)
        let start = Int.random(in: 0...scalars.count, using: &generator)
        let end = Int.random(in: start...min(scalars.count, start + 4), using: &generator)
        let part = String(String.UnicodeScalarView(scalars[start..<end]))
        return Bool.random(using: &generator)
            ? part.uppercased().count == part.count && part.allSatisfy(\.isASCII) ? part.uppercased() : part : part
    }
}
