/// Identifies the store of a value; unique within a run.
struct StoreID: Hashable, Sendable, Comparable {
    /// The number of the process; a process that replaces a killed one has a new number.
    let worker: Int
    /// The number of the operation in that process.
    let number: Int

    static func < (left: StoreID, right: StoreID) -> Bool {
        (left.worker, left.number) < (right.worker, right.number)
    }
}

extension StoreID: LosslessStringConvertible {
    var description: String { "\(worker).\(number)" }

    init?(_ description: String) {
        let parts = description.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(worker: parts[0], number: parts[1])
    }
}
