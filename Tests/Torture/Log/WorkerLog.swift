import Foundation

/// What one process has written, and when it was gone.
struct WorkerLog: Sendable {
    let worker: Int
    let records: [Record]
    /// By the monotonic clock: what had not ended by then never did, or did unseen before.
    let goneAt: Int64

    init(worker: Int, records: [Record], goneAt: Int64) {
        self.worker = worker
        self.records = records
        self.goneAt = goneAt
    }

    /// - Throws: ``Trouble`` for a line that is no record. The last one may have been cut off by the end of its process: then
    ///   what it announces has not begun, and what it acknowledges may have happened, as without it.
    init(worker: Int, path: String, goneAt: Int64) throws {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // What follows the last line feed: nothing, or half a record.
        lines.removeLast()
        let records = try lines.map { line in
            guard let record = Record(String(line)) else { throw Trouble("not a record, in \(path): \(line)") }
            return record
        }
        self.init(worker: worker, records: records, goneAt: goneAt)
    }
}
