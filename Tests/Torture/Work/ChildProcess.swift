import Foundation
import HalcyonTestSupport

/// This program, started again as a worker.
final class ChildProcess {
    let pid: pid_t
    private var end: End?

    enum End: Equatable {
        case exited(Int32)
        case killed(Int32)
    }

    /// - Parameter input: becomes standard input; the worker begins when that ends.
    init(_ arguments: [String], input: Int32) throws {
        guard let program = Bundle.main.executablePath else { throw Trouble("cannot find the path of this program") }
        do {
            pid = try Spawning.start(program, [program] + arguments, streams: [STDIN_FILENO: input])
        } catch {
            throw Trouble("cannot start \(program): \(error)")
        }
    }

    func send(_ signal: Int32) { if end == nil { kill(pid, signal) } }

    /// As `kill -9`, and waits for the end.
    func destroy() {
        send(SIGKILL)
        _ = wait()
    }

    func wait() -> End {
        if let end { return end }
        var raw: Int32 = 0
        while waitpid(pid, &raw, 0) == -1 && errno == EINTR {}
        return note(raw)
    }

    /// nil while it runs.
    func hasEnded() -> End? {
        if let end { return end }
        var raw: Int32 = 0
        return waitpid(pid, &raw, WNOHANG) == pid ? note(raw) : nil
    }

    /// Whether a signal has stopped it. True once for each stop; an end is recorded as usual.
    func hasStopped() -> Bool {
        var raw: Int32 = 0
        guard end == nil, waitpid(pid, &raw, WNOHANG | WUNTRACED) == pid else { return false }
        guard raw & 0xFF != 0x7F else { return true }
        _ = note(raw)
        return false
    }

    private func note(_ raw: Int32) -> End {
        let signal = raw & 0x7F
        let noted: End = signal == 0 ? .exited((raw >> 8) & 0xFF) : .killed(signal)
        end = noted
        return noted
    }
}

/// Starts several processes at the same moment: each reads from it until it ends.
final class StartLine {
    let input: Int32
    private var output: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Trouble("cannot create a pipe: \(Trouble.reason)") }
        (input, output) = (ends[0], ends[1])
        // A child inherits only descriptors that are duplicated on purpose.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    func start() {
        guard output >= 0 else { return }
        close(output)
        output = -1
    }

    deinit {
        start()
        close(input)
    }

    /// Waits for the start, in a worker.
    static func wait() {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            guard count > 0 || (count < 0 && errno == EINTR) else { return }
        }
    }
}
