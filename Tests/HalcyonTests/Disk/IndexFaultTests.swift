import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// What SQLite asks of the disk, its locks and its shared memory is refused: the first time, the second time, … until nothing
/// is refused any more; once, and from then on. Whatever it was: each key has its old value or its new one, what was
/// acknowledged holds, no blob is lost, the index is never taken for damaged, and service resumes by itself.
@Suite struct IndexFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let call: FaultyVFS.Call
        /// SQLite's result code: https://www.sqlite.org/rescode.html
        let code: Int32
        let name: String
        var testDescription: String { "\(call): \(name)" }
    }

    static let faults = [
        Fault(call: .open, code: 14, name: "CANTOPEN"), Fault(call: .delete, code: 2570, name: "IOERR_DELETE"),
        Fault(call: .access, code: 3338, name: "IOERR_ACCESS"), Fault(call: .read, code: 266, name: "IOERR_READ"),
        Fault(call: .write, code: 778, name: "IOERR_WRITE"), Fault(call: .write, code: 13, name: "FULL"),
        Fault(call: .truncate, code: 1546, name: "IOERR_TRUNCATE"), Fault(call: .sync, code: 1034, name: "IOERR_FSYNC"),
        Fault(call: .size, code: 1802, name: "IOERR_FSTAT"), Fault(call: .lock, code: 5, name: "BUSY"),
        Fault(call: .lock, code: 3850, name: "IOERR_LOCK"), Fault(call: .mapMemory, code: 5386, name: "IOERR_SHMMAP"),
        Fault(call: .mapMemory, code: 14, name: "CANTOPEN"), Fault(call: .lockMemory, code: 5, name: "BUSY"),
        Fault(call: .lockMemory, code: 5130, name: "IOERR_SHMLOCK"),
    ]

    @Test(arguments: faults, [1, nil])
    func `no refusal loses or mixes anything`(fault: Fault, times: Int?) throws {
        var refused = 0
        for after in 0..<400 {
            let failures = try run(fault, times: times, after: after)
            if failures == 0 {
                // Some calls are made only when things go wrong.
                #expect(refused > 0 || [.delete, .truncate, .mapMemory].contains(fault.call))
                return
            }
            refused += failures
        }
        Issue.record("more than 400 calls of \(fault.call)")
    }

    /// - Returns: how many calls were refused.
    private func run(_ fault: Fault, times: Int?, after: Int) throws -> Int {
        let vfs = FaultyVFS()
        // Connections use it to the last.
        defer { withExtendedLifetime(vfs) {} }
        var tuning = Tuning()
        tuning.writerTimeout = .milliseconds(20)
        tuning.readerTimeout = .milliseconds(10)
        tuning.presenceInterval = 0
        let cache = try CacheFixture(tuning: tuning)
        cache.environment.vfs = vfs.name
        for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        cache.settle()
        cache.storage.store.close()
        vfs.fail(fault.call, code: fault.code, after: after, times: times)

        let about = "\(fault.testDescription), after \(after), \(times.map(String.init) ?? "all")"
        cache.reopen()
        let stored = Result { try cache.storage.store(value: .blob(10), forKey: "0") }
        let removed = Result { try cache.storage.remove(forKey: "1") }
        // A miss or the value; an index that cannot be used is no error of a load.
        let loaded = try cache.storage.value(forKey: "2")
        #expect(loaded == nil || loaded == .blob(2), "\(about)")
        _ = cache.storage.isCached(forKey: "3")
        _ = try? cache.storage.removeExpiredValues()
        cache.settle()

        let failures = vfs.failures
        vfs.heal()
        try expectService(cache, stored: stored, removed: removed, about)
        cache.reopen()
        try expectService(cache, stored: stored, removed: removed, about)
        #expect(!FileManager.default.fileExists(atPath: cache.index.path + ".damaged"), "\(about): taken for damage")
        cache.settle()
        let report = try cache.storage.check(repair: true)
        #expect(report.integrityFindings.isEmpty && report.noted == report.counted, "\(about): \(report)")
        cache.storage.store.close()
        return failures
    }

    private func expectService(
        _ cache: CacheFixture, stored: Result<(), any Error>, removed: Result<(), any Error>, _ about: String
    ) throws {
        // A reader that meets housekeeping opening the index gives up after a few milliseconds here: a miss, for once.
        func value(_ key: String) throws -> Data? {
            for _ in 0..<100 {
                if let data = try cache.storage.value(forKey: key) { return data }
                cache.settle()
            }
            return nil
        }
        let first = try value("0")
        switch stored {
        case .success: #expect(first == .blob(10), "\(about): an acknowledged store")
        case .failure: #expect(first == .blob(0), "\(about): a store that threw")
        }
        let second = try cache.storage.value(forKey: "1")
        switch removed {
        case .success: #expect(second == nil, "\(about): an acknowledged removal")
        case .failure: #expect(second == nil || second == .blob(1), "\(about): a removal that threw")
        }
        for seed in 2..<5 { #expect(try value("\(seed)") == .blob(seed), "\(about)") }
        try cache.storage.store(value: .blob(20), forKey: "new")
        #expect(try value("new") == .blob(20), "\(about)")
        try cache.storage.remove(forKey: "new")
    }
}
