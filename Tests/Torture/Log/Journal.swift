import Foundation

/// A worker's log, with one `write` per record, so that written records survive SIGKILL.
final class Journal {
    private let file: Int32
    private var last = 0

    init(path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Trouble("cannot write \(path): \(Trouble.reason)") }
    }

    deinit { close(file) }

    /// Logs the beginning of an operation, runs it, and logs its result. The times are taken before the first record and after the
    /// operation, so it took effect between them.
    func log(_ operation: CacheOperation, _ body: (_ number: Int) -> Outcome) throws -> Outcome {
        last += 1
        let number = last
        try write(.began(number: number, at: MonotonicClock.now, operation))
        let outcome = body(number)
        try write(.ended(number: number, at: MonotonicClock.now, outcome))
        return outcome
    }

    func write(_ record: Record) throws {
        var line = record.description.replacingOccurrences(of: "\n", with: " ") + "\n"
        let (written, count) = line.withUTF8 { (Foundation.write(file, $0.baseAddress, $0.count), $0.count) }
        guard written == count else { throw Trouble("cannot write the log: \(Trouble.reason)") }
    }
}

/// Nanoseconds of a clock that all processes of the machine share, and that cannot be set.
enum MonotonicClock {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// An error of the torture itself, not a finding about the cache.
struct Trouble: LocalizedError {
    let errorDescription: String?

    init(_ text: String) { errorDescription = text }

    static var reason: String { String(cString: strerror(errno)) }
}
