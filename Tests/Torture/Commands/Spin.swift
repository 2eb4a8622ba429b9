import ArgumentParser
import Foundation

/// A process that occupies a processor; started with the option `--busy`.
struct Spin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep a processor busy until the parent ends.", shouldDisplay: false)

    func run() throws {
        // It has to end if the process that started it is killed.
        let parent = getppid()
        while getppid() == parent {}
    }
}

/// Processes that keep the machine busy, as long as this object exists.
final class BusyLoops {
    private var processes: [ChildProcess] = []

    init(_ count: Int) throws {
        let line = try StartLine()
        for _ in 0..<count { processes.append(try ChildProcess(["spin"], input: line.input)) }
    }

    deinit { processes.forEach { $0.destroy() } }
}
