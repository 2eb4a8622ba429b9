import BenchReport

/// An operation to measure in a world of entries.
struct Operation {
    enum Phase: CaseIterable { case growing, replacing, removing }

    /// The names of its rows.
    let names: [String]
    var phase = Phase.growing
    /// The numbers of entries to measure it at.
    var isMeasured: (Int) -> Bool = { _ in true }
    let measure: (World, Plan) throws -> [ResultRow]

    /// In the order of the table, and within each phase in the order of the run.
    static var all: [Operation] { reading + asking + storing + mixing + imageLoading + [opening] + removing }

    /// All rows, in the order of the table.
    static var names: [String] {
        all.flatMap(\.names) + QueryPages.names + IndexOperations.names + MemoryOperations.names + DecodeOperation.names
    }
}
