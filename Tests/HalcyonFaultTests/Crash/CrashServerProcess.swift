import Foundation
import HalcyonTestSupport
import Testing

/// Starts the process that runs the crashing processes.
final class CrashServerProcess {
    enum Outcome: String { case killed, finished, failed, lost }

    private let pid: pid_t
    private let requests: FileHandle
    private let answers: UnsafeMutablePointer<FILE>

    init() throws {
        let (forServer, requests) = try Self.pipe()
        let (answers, forAnswers) = try Self.pipe()
        defer { [forServer, forAnswers].forEach { close($0) } }
        pid = try Self.start(input: forServer, output: forAnswers)
        self.requests = FileHandle(fileDescriptor: requests, closeOnDealloc: true)
        self.answers = try #require(fdopen(answers, "r"))
    }

    deinit {
        // It ends when its input ends.
        try? requests.close()
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        fclose(answers)
    }

    func perform(_ run: CrashingRun, in directory: URL) throws -> Outcome { try perform(run.line(in: directory)) }

    func perform(_ errand: Errand, in directory: URL) throws -> Outcome { try perform(errand.line(in: directory)) }

    private func perform(_ request: String) throws -> Outcome {
        try requests.write(contentsOf: Data("\(request)\n".utf8))
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, Int32(line.count), answers) != nil else { return .lost }
        let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return Outcome(rawValue: text) ?? .lost
    }

    // MARK: Starting

    /// Both ends are close-on-exec, so that no other process inherits them.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(Foundation.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func start(input: Int32, output: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let path = try BuiltExecutable.named("HalcyonCrashServer").path
        let words = strings([path])
        // Its globals are not leaks.
        let variables = strings(
            ProcessInfo.processInfo.environment.map { "\($0)=\($1)" } + ["ASAN_OPTIONS=detect_leaks=0"])
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, nil, words, variables)
        try #require(code == 0)
        return pid
    }

    /// A NULL-terminated array of C strings.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}
