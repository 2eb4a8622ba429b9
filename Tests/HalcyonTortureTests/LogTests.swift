import Foundation
import HalcyonTestSupport
import Testing

@testable import HalcyonTorture

/// Logs and values identify themselves.
@Suite struct LogTests {
    @Test func `every record is read as it was written`() throws {
        let operations: [CacheOperation] = [
            .store(key: "k1", length: 70, isLasting: true), .store(key: "k1", length: 70, isLasting: false),
            .remove(key: "p2"), .value(key: "p2"), .isCached(key: "p2"), .update(key: "k0"), .evict, .expire,
            .removeAll, .page, .totals, .open, .reopen,
        ]
        let outcomes: [Outcome] = [
            .done, .hit(StoreID(worker: 3, number: 4)), .hit(nil), .miss, .gone([]), .gone(["k1", "k2"]),
            .failed("a reason"), .wrong("a reason"),
        ]
        let records =
            operations.map { Record.began(number: 7, at: 123, $0) } + outcomes.map { .ended(number: 7, at: 456, $0) }
            + [.complaint("of something")]
        for record in records { #expect(Record(record.description) == record) }
        #expect(Record("> 7 123 explode") == nil)
        #expect(Record("half a rec") == nil)
    }

    @Test func `a record that was cut off when its process ended is ignored`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("1.log").path
        try Data("> 1 10 store k0 100 lasting\n< 1 20 do".utf8).write(to: URL(fileURLWithPath: path))
        let log = try WorkerLog(worker: 1, path: path, goneAt: 30)
        #expect(log.records == [.began(number: 1, at: 10, .store(key: "k0", length: 100, isLasting: true))])
    }

    @Test func `a file that is not a log is an error`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("1.log").path
        try Data("rubbish\n> 1 10 evict\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: Trouble.self) { try WorkerLog(worker: 1, path: path, goneAt: 30) }
    }

    @Test func `an operation is logged before and after, even if it fails`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("1.log").path
        let journal = try Journal(path: path)
        _ = try journal.log(.evict) { _ in .failed("two\nlines") }
        let records = try WorkerLog(worker: 1, path: path, goneAt: 30).records
        guard case .began(1, let begin, .evict)? = records.first, case .ended(1, let end, let outcome)? = records.last
        else {
            Issue.record("\(records)")
            return
        }
        #expect(begin <= end)
        #expect(outcome == .failed("two lines"))
    }

    @Test(arguments: [TortureValue.minimumLength, 65, 4_096, 100_001])
    func `a value identifies its store`(length: Int) throws {
        let store = StoreID(worker: 12, number: 345)
        let bytes = TortureValue.bytes(of: store, key: "k1", length: length)
        #expect(bytes.count == length)
        #expect(try TortureValue.store(of: bytes, key: "k1") == store)
    }

    @Test func `values of another key, truncated ones and mixed ones are found`() {
        let mine = TortureValue.bytes(of: StoreID(worker: 1, number: 1), key: "k1", length: 10_000)
        let other = TortureValue.bytes(of: StoreID(worker: 1, number: 2), key: "k1", length: 10_000)
        let mixed = mine.prefix(9_990) + other.suffix(10)
        #expect(throws: TortureValue.Mixed.self) { try TortureValue.store(of: mine, key: "k2") }
        for bytes in [mine.dropLast(), mixed, Data(count: 500), Data()] {
            #expect(throws: TortureValue.Mixed.self) { try TortureValue.store(of: bytes, key: "k1") }
        }
    }
}
