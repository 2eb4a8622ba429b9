import Foundation

/// The records of one process, and the time of its end.
struct WorkerLog: Sendable {
    let worker: Int
    let records: [Record]
    /// By the monotonic clock: an operation that had not ended by then either never took effect, or did so before.
    let goneAt: Int64

    init(worker: Int, records: [Record], goneAt: Int64) {
        self.worker = worker
        self.records = records
        self.goneAt = goneAt
    }

    /// - Throws: ``Trouble`` for a line that is not a record. The last record may have been cut off when the process ended: then the
    ///   operation that it begins has not begun, and the one that it ends may have taken effect.
    init(worker: Int, path: String, goneAt: Int64) throws {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The text after the last line feed: nothing, or a part of a record.
        lines.removeLast()
        let records = try lines.map { line in
            guard let record = Record(String(line)) else { throw Trouble("not a record, in \(path): \(line)") }
            return record
        }
        self.init(worker: worker, records: records, goneAt: goneAt)
    }
}
