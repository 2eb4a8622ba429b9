import Foundation
import Testing

/// A program that a test runs.
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
        let descriptors = streams.enumerated().map { (Int32($0), $1.fileDescriptor) }
        pid = try Spawning.start(
            "/bin/sh", words, environment: environment, streams: Dictionary(uniqueKeysWithValues: descriptors))
        self.streams = streams
    }

    /// Its exit status; minus the signal's number if a signal ended it.
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

    /// Whether a signal has stopped it, as Ctrl-Z does. True once for each stop.
    func hasStopped() -> Bool {
        var raw: Int32 = 0
        return waitpid(pid, &raw, WNOHANG | WUNTRACED) == pid && raw & 0xFF == 0x7F
    }
}
