import ArgumentParser
import Foundation

/// A process that takes a processor away from the others; started with the option `--busy`.
struct Spin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep a processor busy until the parent ends.", shouldDisplay: false)

    func run() throws {
        // If the process that started it is killed, nothing else ends it.
        let parent = getppid()
        while getppid() == parent {}
    }
}

/// Processes that do nothing but keep the machine busy, as long as this lives.
final class BusyLoops {
    private var processes: [ChildProcess] = []

    init(_ count: Int) throws {
        let line = try StartLine()
        for _ in 0..<count { processes.append(try ChildProcess(["spin"], input: line.input)) }
    }

    deinit { processes.forEach { $0.destroy() } }
}
