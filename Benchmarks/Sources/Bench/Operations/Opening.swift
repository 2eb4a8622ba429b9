import BenchReport
import Foundation

extension Operation {
    /// The first answer after an opening, and the memory of a cache with that many entries, measured in fresh processes.
    static var opening: Operation {
        Operation(names: ["open_first_answer", "resident_growth"]) { world, plan in
            try Opening(world: world).rows(rounds: plan.rounds)
        }
    }
}

private struct Opening {
    let world: World

    func rows(rounds: Int) throws -> [ResultRow] {
        // In an app, the process that opens it is the first one.
        world.halcyon.close()
        let empty = HalcyonCache(folder: world.halcyon.folder.appendingPathExtension("empty"))
        var times = Outcome()
        var growth = Outcome()
        var again: [Double] = []
        for _ in 0..<rounds {
            let base = try probe(.halcyon, empty.folder, entries: 0)
            let full = try probe(.halcyon, world.halcyon.folder, entries: world.count)
            times[.halcyon].add([full.opened])
            again.append(full.openedAgain)
            growth[.halcyon].add([full.growth - base.growth])
            guard world.attributes != nil else { continue }
            let emptyAttributes = world.attributeFolder.appendingPathExtension("empty")
            let bare = try probe(.attribute, emptyAttributes, entries: 0)
            let slow = try probe(.attribute, world.attributeFolder, entries: world.count)
            times[.attribute].add([slow.opened])
            growth[.attribute].add([slow.growth - bare.growth])
        }
        // A file-date cache reads the names of all files.
        let target: Target = world.count < 100_000 ? .atMost(2_000) : .all([.atMost(2_000), .ofAttribute(1)])
        var opened = world.row(
            "open_first_answer", times, limitName: "", target: target)
        opened?.extras = ["again_in_the_same_process_us": again.sorted()[again.count / 2]]
        var resident = world.row("resident_growth", growth, limitName: "", target: .atMost(8e6))
        resident?.unit = .bytes
        return [opened, resident].compactMap { $0 }
    }

    private func probe(_ role: Contestant.Role, _ folder: URL, entries: Int) throws -> OpeningProbe.Answer {
        defer { if role == .halcyon { HalcyonCache(folder: folder).close() } }
        return try OpeningProbe(role: role, folder: folder, entries: entries).answerOfNewProcess()
    }
}
