import Foundation
import Testing

/// A program that a test runs. Foundation's `Process` leaks (6.3), and the address sanitizer counts it.
final class ChildProcess {
    private let pid: pid_t
    private var status: Int32?
    /// Kept open: a handle that is released closes its descriptor.
    private let streams: [FileHandle]

    /// - Parameter streams: what becomes standard input, output and error.
    init(
        _ executable: URL, _ arguments: [String], folder: URL, environment: [String: String], streams: [FileHandle]
    ) throws {
        // The shell changes the folder; the program takes its place.
        let words = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path, executable.path] + arguments
        let variables = environment.map { "\($0)=\($1)" }
        var actions = FileActions()
        for (target, source) in streams.enumerated() { actions.duplicate(source.fileDescriptor, to: Int32(target)) }
        var pid: pid_t = 0
        let code = withCStrings(words) { argv in
            withCStrings(variables) { envp in posix_spawn(&pid, "/bin/sh", &actions.actions, nil, argv, envp) }
        }
        actions.destroy()
        try #require(code == 0)
        self.pid = pid
        self.streams = streams
    }

    /// Its exit status; minus the signal when one ended it.
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(pid, &raw, 0) == -1 && errno == EINTR {}
        let signal = raw & 0x7F
        let result = signal == 0 ? (raw >> 8) & 0xFF : -signal
        status = result
        return result
    }

    var isRunning: Bool {
        var information = siginfo_t()
        guard status == nil, waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
            return false
        }
        return information.si_signo == 0
    }

    /// What Ctrl-C sends.
    func interrupt() { send(SIGINT) }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Whether somebody has stopped it, as Ctrl-Z does. True once for each stop.
    func hasStopped() -> Bool {
        var raw: Int32 = 0
        return waitpid(pid, &raw, WNOHANG | WUNTRACED) == pid && raw & 0xFF == 0x7F
    }
}

private struct FileActions {
    #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
    #else
        var actions = posix_spawn_file_actions_t()
    #endif

    init() { posix_spawn_file_actions_init(&actions) }

    mutating func duplicate(_ source: Int32, to target: Int32) {
        posix_spawn_file_actions_adddup2(&actions, source, target)
    }

    mutating func destroy() { posix_spawn_file_actions_destroy(&actions) }
}

/// An array of C strings that ends with NULL, for the time of a call.
private func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let strings = texts.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    return body(strings + [nil])
}
