import ArgumentParser
import Foundation
import Halcyon
import HalcyonTestSupport

/// One of several processes; started by the other commands.
struct Work: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Operate on a folder and write a log, once standard input ends.", shouldDisplay: false)

    @Argument var order: WorkerOrder

    func run() throws {
        let parent = getppid()
        SelfStop.prepare()
        // The existence of the log tells the parent that this process is ready.
        let journal = try Journal(path: order.log)
        StartLine.wait()
        let disk = order.world.hasBadDisk ? BadDisk() : nil
        let stop = order.freezeAtCommit.map(Self.stopping)
        let worker = Worker(
            number: order.number, keys: order.keys, cache: try makeCache(on: disk, stop), journal: journal, disk: disk)
        try worker.perform(.open)
        try worker.work(order.mix, seed: order.seed) { done in
            // A worker ends with the process that started it.
            getppid() == parent && order.operations.map { done < $0 } ?? true
        }
        withExtendedLifetime(stop) { worker.cache.close() }
        try worker.logWarnings()
    }

    /// No order has both a bad disk and a stop, because each uses its own VFS.
    private func makeCache(on disk: BadDisk?, _ stop: FaultyVFS?) throws -> Cache {
        let change = try order.world.change()
        return Cache(folder: order.folder, countLimit: order.countLimit, tuning: tuning) { environment in
            change(&environment)
            disk?.change(&environment)
            if let stop { environment.vfs = stop.name }
        }
    }

    private var tuning: Tuning {
        var tuning = order.mix.tuning
        // Only the brief timeout has its default. Stores keep their long one, because on a busy machine others get the lock first.
        if order.world.isLockHeld { tuning.briefTimeout = Tuning().briefTimeout }
        return tuning
    }

    /// Stops the process before a commit, while it holds the write lock.
    private static func stopping(atCommit number: Int) -> FaultyVFS {
        let count = Locked(0)
        let vfs = FaultyVFS()
        vfs.beforeCommit {
            let isTheOne = count.withLock { count in
                count += 1
                return count == number
            }
            if isTheOne { SelfStop.stop() }
            return true
        }
        return vfs
    }
}
