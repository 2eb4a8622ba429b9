import Dispatch
import Foundation

/// Worker processes that begin at the same moment.
final class Team {
    private let workplace: Workplace
    private let line: StartLine
    private(set) var members: [Member] = []

    struct Member {
        let order: WorkerOrder
        let process: ChildProcess
    }

    init(_ workplace: Workplace) throws {
        self.workplace = workplace
        line = try StartLine()
    }

    deinit { members.forEach { $0.process.destroy() } }

    /// Starts a process, which waits for ``begin()``.
    func add(
        _ mix: Mix, on cache: URL, keys: KeySpace, seed: UInt64, countLimit: Int = 0, operations: Int? = nil,
        freezeAtCommit: Int? = nil, world: World = World()
    ) throws {
        let number = workplace.nextWorker()
        let order = WorkerOrder(
            number: number, folder: cache, log: workplace.logPath(of: number), mix: mix, seed: seed,
            pinned: keys.pinned.count, loose: keys.loose.count, countLimit: countLimit, operations: operations,
            freezeAtCommit: freezeAtCommit, world: world)
        members.append(Member(order: order, process: try ChildProcess(order.arguments, input: line.input)))
    }

    func begin() throws {
        for member in members {
            try wait(for: "process \(member.order.number) to be ready") { access(member.order.log, F_OK) == 0 }
        }
        line.start()
    }

    /// Waits until all workers have finished, and observes something meanwhile.
    ///
    /// - Returns: the logs, and findings about how the processes ended.
    func finish(within seconds: Double, meanwhile look: () -> Void = {}) throws -> (logs: [WorkerLog], [Violation]) {
        var goneAt = [Int: Int64]()
        let deadline = DispatchTime.now() + seconds
        while goneAt.count < members.count {
            look()
            for member in members where goneAt[member.order.number] == nil && member.process.hasEnded() != nil {
                goneAt[member.order.number] = MonotonicClock.now
            }
            guard DispatchTime.now() < deadline else { return (try logs(goneAt), [hang(of: goneAt)]) }
            usleep(2_000)
        }
        return (try logs(goneAt), members.compactMap(Self.fault(of:)))
    }

    /// Kills each worker with SIGKILL after its delay.
    ///
    /// - Parameters:
    ///   - delays: seconds from now, one for each worker, in any order.
    ///   - act: called every millisecond meanwhile.
    func kill(after delays: [Double], meanwhile act: () -> Void = {}) throws -> (logs: [WorkerLog], [Violation]) {
        let begin = DispatchTime.now()
        var goneAt = [Int: Int64]()
        var violations: [Violation] = []
        for (member, delay) in zip(members, delays).sorted(by: { $0.1 < $1.1 }) {
            while DispatchTime.now() < begin + delay {
                act()
                sleep(until: min(begin + delay, .now() + 0.001))
            }
            if let end = member.process.hasEnded() { violations.append(Self.fault(of: member, end)) }
            member.process.destroy()
            goneAt[member.order.number] = MonotonicClock.now
        }
        return (try logs(goneAt), violations)
    }

    func logs(_ goneAt: [Int: Int64]) throws -> [WorkerLog] {
        try members.map { member in
            let number = member.order.number
            return try WorkerLog(worker: number, path: member.order.log, goneAt: goneAt[number] ?? MonotonicClock.now)
        }
    }

    // MARK: Ends that should not be

    private static func fault(of member: Member) -> Violation? {
        let end = member.process.wait()
        return end == .exited(0) ? nil : fault(of: member, end)
    }

    private static func fault(of member: Member, _ end: ChildProcess.End) -> Violation {
        Violation(.unfinished, "process \(member.order.number), \(member.order.mix), by itself: \(end)")
    }

    private func hang(of gone: [Int: Int64]) -> Violation {
        let waiting = members.map(\.order.number).filter { gone[$0] == nil }
        return Violation(.unfinished, "these processes did not end in time: \(waiting)")
    }
}
