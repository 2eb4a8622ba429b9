import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Each call of the file system and of SQLite that an operation makes fails: the first, the second, and so on; once, and from then on.
///
/// In every case either an error is thrown and nothing has changed, or the operation is complete; no value is mixed with another, the index
/// is never mistaken for damaged, nothing stays open, and service resumes without help.
@Suite(.endsEvenIfItHangs) struct CallFaultTests {
    @Test(arguments: StorageOperation.allCases)
    func `a failure of any call loses nothing and mixes nothing`(operation: StorageOperation) throws {
        let prepared = try PreparedFolder(for: operation)
        var count = 0
        for fault in DiskFault.all {
            for times in [1, nil] {
                count += try failEachCall(of: operation, fault, times: times, prepared)
            }
        }
        print("faults: \(operation): \(count)")
        #expect(count > 0)
    }

    /// - Returns: the number of runs in which a call failed.
    private func failEachCall(
        of operation: StorageOperation, _ fault: DiskFault, times: Int?, _ prepared: PreparedFolder
    ) throws -> Int {
        let calls = try numberOfCalls(of: operation, fault, prepared)
        // With faults from a call on, the early runs also cover the last calls, so fewer runs are enough.
        let short = 16
        return try Soak.spread(calls, short: times == nil ? short / 2 : short).count { after in
            let attempt = FaultCase(operation: operation, fault: fault, after: after, times: times)
            let (failures, findings) = try attempt.run(in: prepared)
            #expect(findings.isEmpty, "\(attempt): \(findings.joined(separator: "; "))")
            return failures > 0
        }
    }

    /// The calls without faults. Faults that last also meet the calls that only follow a failure.
    private func numberOfCalls(of operation: StorageOperation, _ fault: DiskFault, _ prepared: PreparedFolder) throws
        -> Int
    {
        let folder = try prepared.copy()
        let run = OperationRun(operation, in: folder.url)
        try run.begin()
        let before = calls(fault, run)
        _ = try run.perform()
        run.settle()
        defer { run.end() }
        return calls(fault, run) - before
    }

    private func calls(_ fault: DiskFault, _ run: OperationRun) -> Int {
        switch fault.calls {
        case .files(let codes, _): codes.keys.reduce(0) { $0 + run.fileSystem.calls(of: $1) }
        case .index(let codes): codes.keys.reduce(0) { $0 + run.vfs.calls(of: $1) }
        }
    }
}

/// One call fails, or all calls from one on.
struct FaultCase: CustomStringConvertible {
    let operation: StorageOperation
    let fault: DiskFault
    let after: Int
    let times: Int?

    var description: String {
        "\(operation), \(fault.name), after \(after) calls\(times == nil ? ", from then on" : "")"
    }

    /// Do not wait for locks that are always refused.
    private static let impatient: Tuning = {
        var tuning = Tuning()
        tuning.writerTimeout = 6
        tuning.readerTimeout = 3
        tuning.briefTimeout = 3
        tuning.retryTimeout = 1
        tuning.presenceInterval = 0
        return tuning
    }()

    /// - Returns: the number of failed calls, and the findings.
    func run(in prepared: PreparedFolder) throws -> (failures: Int, findings: [String]) {
        let folder = try prepared.copy()
        let run = OperationRun(operation, in: folder.url, tuning: Self.impatient)
        try run.begin()
        fault.begin(in: run, after: after, times: times)
        let result = Result { try run.perform() }
        run.settle()
        let failures = fault.end(in: run)
        var findings = judge(result)
        let expected = { contents in isExpected(contents, after: result) }
        findings += try lookAgain(run, expected)
        run.end()
        #if os(Linux)
            findings += try openFiles(under: folder.url).map { "left open: \($0)" }
        #endif
        findings += try Inspection(folder: folder, operation: operation, isExpected: expected).findings()
        return (failures, findings)
    }

    // MARK: What the operation says

    private func judge(_ result: Result<OperationRun.Result, any Error>) -> [String] {
        switch result {
        case .failure(let error): judge(error)
        case .success(.value(let value)):
            value == nil || value == .blob(2) ? [] : ["other bytes were read"]
        case .success(.isNoted(let isNoted)): isNoted ? [] : ["an entry was not found"]
        case .success(.listed(let names)): names.count == 6 ? [] : ["\(names.count) entries were listed"]
        default: []
        }
    }

    private func judge(_ error: any Error) -> [String] {
        // The check is not public API, so it may throw any error.
        guard operation != .repair else { return [] }
        guard error is KingfisherError else { return ["threw \(error)"] }
        return operation == .isCached ? ["threw at all"] : []
    }

    // MARK: What is there afterwards

    private func isExpected(_ contents: CacheContents, after result: Result<OperationRun.Result, any Error>) -> Bool {
        let before = CacheContents(before: operation)
        let done = before.after(operation)
        switch result {
        // What has expired and could not be removed is a miss.
        case .success(.removed(let names)) where operation == .expire:
            return contents.isBetween(before.without(names), done)
        case .success(.removed(let names)): return contents == before.without(names)
        case .success: return contents == done
        case .failure where operation == .removeAll || operation.isPartial: return contents.isBetween(before, done)
        case .failure: return contents == before
        }
    }

    /// By the storage that met the fault, which resumes without help.
    private func lookAgain(_ run: OperationRun, _ isExpected: (CacheContents) -> Bool) throws -> [String] {
        guard let storage = run.storage else { return [] }
        var contents = try? CacheContents(of: storage)
        // A reader that waits for housekeeping to open the index gives up after three milliseconds here, so a miss may occur.
        for _ in 0..<20 where contents.map(isExpected) != true {
            run.settle()
            contents = try? CacheContents(of: storage)
        }
        guard let contents else { return ["it cannot be read any more"] }
        return isExpected(contents) ? [] : ["the storage has \(contents.text)"]
    }
}

extension StorageOperation {
    /// Whether it removes what it can, and throws only if it could remove nothing.
    fileprivate var isPartial: Bool { [.evict, .expire, .removeMatching, .storeTogether].contains(self) }
}

extension CacheContents {
    fileprivate func without(_ names: [String]) -> CacheContents {
        var contents = self
        for (index, key) in StorageOperation.keys.enumerated()
        where names.contains(BlobName(key: key, isHashed: true, pathExtension: nil).text) {
            contents.values[index] = nil
        }
        return contents
    }

    /// Each value is that of one or the other.
    fileprivate func isBetween(_ first: CacheContents, _ second: CacheContents) -> Bool {
        zip(values, zip(first.values, second.values)).allSatisfy { $0 == $1.0 || $0 == $1.1 }
    }
}
