import BenchReport
import Foundation

/// Measures everything in an order that limits side effects: first the operations that read and create files, on all volumes; then those
/// that replace files; then those that delete them, because a disk may take minutes to recover.
struct BenchRun {
    let volumes: [Volume]
    let plan: Plan
    /// Names of rows; empty for all.
    let only: Set<String>

    func rows() throws -> [ResultRow] {
        var rows = try apart()
        let operations = Operation.all.filter { isWanted($0.names) }
        let worlds = try makeWorlds(for: operations)
        for phase in Operation.Phase.allCases where operations.contains(where: { $0.phase == phase }) {
            if phase != .growing { waitForDisk() }
            for world in worlds {
                for operation in operations where operation.phase == phase && operation.isMeasured(world.count) {
                    Progress.say("\(world.description): \(operation.names.joined(separator: ", "))")
                    rows += try operation.measure(world, plan)
                }
            }
        }
        return inOrder(rows.filter { isWanted([$0.op]) })
    }

    /// The files of a real cache are old: a disk replaces and deletes files much faster while it has not written them yet.
    private func waitForDisk() {
        Progress.say("waiting for the disk to write all files")
        sync()
    }

    private func isWanted(_ names: [String]) -> Bool { only.isEmpty || !only.isDisjoint(with: names) }

    private func apart() throws -> [ResultRow] {
        var rows: [ResultRow] = []
        if isWanted(MemoryOperations.names) { rows += MemoryOperations(plan: plan).rows() }
        for volume in volumes {
            if isWanted(DecodeOperation.names) { rows += try DecodeOperation(volume: volume).rows() }
            if isWanted(IndexOperations.names) { rows += try IndexOperations(volume: volume).rows() }
            for count in plan.queryCounts where isWanted(QueryPages.names) {
                rows += try QueryPages(volume: volume, count: count).rows(rounds: plan.rounds)
            }
        }
        return rows
    }

    private func makeWorlds(for operations: [Operation]) throws -> [World] {
        try volumes.flatMap { volume in
            try plan.counts.compactMap { count -> World? in
                guard operations.contains(where: { $0.isMeasured(count) }) else { return nil }
                let withAttributes = count <= plan.attributeLimit
                guard volume.kind == .disk || count <= plan.tmpfsLimit else { return nil }
                guard volume.hasRoom(forFiles: count * (withAttributes ? 3 : 2)) else {
                    Progress.say("\(volume.name): no room for \(FigureText.count(count)) entries")
                    return nil
                }
                return try World(volume: volume, count: count, withAttributes: withAttributes)
            }
        }
    }

    /// In the order of the operations, not of the phases.
    private func inOrder(_ rows: [ResultRow]) -> [ResultRow] {
        let names = Operation.names
        return rows.enumerated().sorted { one, other in
            let places = (names.firstIndex(of: one.element.op) ?? 0, names.firstIndex(of: other.element.op) ?? 0)
            return places == (places.1, places.0) ? one.offset < other.offset : places.0 < places.1
        }.map(\.element)
    }
}
