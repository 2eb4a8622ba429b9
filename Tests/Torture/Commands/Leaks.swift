import ArgumentParser
import CHalcyonSQLite
import Foundation
import Halcyon

/// One process that opens and closes caches all the time.
struct Leaks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open, use and close a cache again and again; descriptors, threads and memory must not grow.")

    @OptionGroup var options: RunOptions

    @Option(help: "Reopenings.")
    var reopenings = 10_000

    func run() throws {
        try options.perform("leaks --reopenings \(reopenings)", needsDisk: false) { run in
            let folder = run.workplace.folder(named: "reopened")
            try reopen(warmUp, from: 0, folder, run)
            let before = Usage.atRest()
            try reopen(reopenings, from: warmUp, folder, run)
            let after = Usage.atRest()
            try run.require(after.violations(since: before), round: 1)
            return "\(reopenings) reopenings; before \(before); after \(after)"
        }
    }

    /// Warms up, until the allocator, the queues and one-time allocations have their final size.
    private var warmUp: Int { min(1_000, max(200, reopenings / 5)) }

    private func reopen(_ count: Int, from first: Int, _ folder: URL, _ run: Run) throws {
        for number in first..<first + count {
            try useStorage(folder, number)
            if number.isMultiple(of: 10) { try useFacade(folder, number) }
            run.progress.show("  reopening \(number): \(Usage.now)")
        }
    }

    private func useStorage(_ folder: URL, _ number: Int) throws {
        var config = Cache.config(in: folder)
        config.countLimit = 40
        let storage = try DiskStorage.Backend<Data>(config: config)
        let key = "\(number % 60)"
        try storage.store(value: Data("a value of \(key)".utf8), forKey: key)
        guard try storage.value(forKey: key) == Data("a value of \(key)".utf8) else { throw Trouble("wrong value") }
        if number.isMultiple(of: 7) { _ = try storage.removeSizeExceededValues() }
        if number.isMultiple(of: 11) { _ = try storage.entries(sortedBy: .size) }
    }

    private func useFacade(_ folder: URL, _ number: Int) throws {
        let cache = try ImageCache(name: "facade", cacheDirectoryURL: folder)
        let isStored = DispatchSemaphore(value: 0)
        cache.store(
            try TinyPicture.make(), original: TinyPicture.file, forKey: "\(number % 60)", callbackQueue: .untouch
        ) { _ in isStored.signal() }
        guard isStored.wait(timeout: .now() + 30) == .success else { throw Trouble("a store did not call back") }
    }
}

extension Leaks {
    /// The system resources of the process.
    struct Usage: CustomStringConvertible {
        let descriptors: Int
        let threads: Int
        let residentKiB: Int
        let sqliteBytes: Int64

        static var now: Usage {
            Usage(
                descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"), residentKiB: residentKiB,
                sqliteBytes: sqlite3_memory_used())
        }

        var description: String {
            "\(descriptors) descriptors, \(threads) threads, \(residentKiB) KiB, \(sqliteBytes) bytes of SQLite's"
        }

        /// Measured after all work has ended.
        static func atRest() -> Usage {
            // A timer that fires after ten seconds finds no owner, and ends.
            Thread.sleep(forTimeInterval: 11)
            return now
        }

        /// Threads: the system's pool keeps its largest number of threads, which varies; a leak of one per reopening would show as
        /// thousands. Memory: each of these threads has its own arena, and allocators round up.
        func violations(since before: Usage) -> [Violation] {
            var grown: [String] = []
            if descriptors > before.descriptors { grown.append("descriptors") }
            let newThreads = max(0, threads - before.threads)
            if newThreads > 256 { grown.append("threads") }
            if sqliteBytes > 0 { grown.append("SQLite memory") }
            if residentKiB > before.residentKiB + 8_192 + 256 * min(newThreads, 64) { grown.append("resident memory") }
            return grown.map { Violation(.grown, "\($0): before \(before), after \(self)") }
        }

        private static func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
        }

        private static var residentKiB: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
        }
    }
}
