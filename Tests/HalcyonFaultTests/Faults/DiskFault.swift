import Foundation
import HalcyonTestSupport
import Testing

/// A kind of fault: the answer of each kind of call. Calls without an answer succeed and are not counted.
struct DiskFault: Sendable, CustomTestStringConvertible {
    enum Calls: Sendable {
        /// The `errno` of file system calls.
        case files([FaultyFileSystem.Call: Int32], writingShort: Bool)
        /// SQLite's result codes (https://www.sqlite.org/rescode.html).
        case index([FaultyVFS.Call: Int32])
    }

    let name: String
    let calls: Calls
    var testDescription: String { name }

    func begin(in run: OperationRun, after count: Int, times: Int?) {
        switch calls {
        case .files(let codes, let writingShort):
            run.fileSystem.writeShort(writingShort)
            run.fileSystem.fail(codes, after: count, times: times)
        case .index(let codes): run.vfs.fail(codes, after: count, times: times)
        }
    }

    /// - Returns: the number of failed calls.
    func end(in run: OperationRun) -> Int {
        switch calls {
        case .files:
            run.fileSystem.writeShort(false)
            run.fileSystem.endPlan()
            return run.fileSystem.failures
        case .index:
            run.vfs.heal()
            return run.vfs.failures
        }
    }

    // MARK: All of them

    private typealias Call = FaultyFileSystem.Call

    /// Without permission for a path, every call that takes a path fails.
    private static let withPath: Set<Call> = Set(Call.allCases).subtracting([
        .read, .write, .statusOfFile, .setModified,
    ])
    private static let takingRoom: Set<Call> = [
        .makeDirectory, .createFile, .write, .closeWritten, .rename, .exchange, .link,
    ]
    private static let makingDescriptors: Set<Call> = [.openForReading, .createFile, .list]

    private static func files(_ calls: Set<Call>, _ code: Int32, writingShort: Bool = false) -> Calls {
        .files(Dictionary(uniqueKeysWithValues: calls.map { ($0, code) }), writingShort: writingShort)
    }

    /// Codes beyond these are treated like EIO, which ``SystemError`` says in one place.
    static let all = [
        DiskFault(name: "EIO", calls: files(Set(Call.allCases), EIO)),
        DiskFault(name: "ENOSPC", calls: files(takingRoom, ENOSPC)),
        DiskFault(name: "EACCES", calls: files(withPath, EACCES)),
        DiskFault(name: "EMFILE", calls: files(makingDescriptors, EMFILE)),
        DiskFault(name: "short writes, then EIO", calls: files([.write], EIO, writingShort: true)),
        DiskFault(
            name: "IOERR",
            calls: .index([
                .open: 14, .delete: 2570, .access: 3338, .read: 266, .write: 778, .truncate: 1546, .sync: 1034,
                .size: 1802, .lock: 3850, .mapMemory: 5386, .lockMemory: 5130,
            ])),
        DiskFault(name: "FULL", calls: .index([.write: 13, .truncate: 13, .sync: 13, .mapMemory: 4874])),
        DiskFault(name: "BUSY", calls: .index([.lock: 5, .lockMemory: 5])),
        DiskFault(name: "CANTOPEN", calls: .index([.open: 14, .mapMemory: 14])),
    ]
}
