package import Foundation
internal import Halcyon

/// An operation in a process that ends at a step of it.
///
/// A step is what comes before a call that changes something on the disk: a call of the file system, or one of SQLite's. Between
/// two of them everything on the disk is as it was, so that there is no other place at which the end would make a difference.
package struct CrashingRun: Sendable {
    package let operation: StorageOperation
    /// From 1 on.
    package let step: Int
    /// Whether each write is done in two halves, with a step between them.
    package let tearsWrites: Bool

    package init(_ operation: StorageOperation, step: Int, tearsWrites: Bool) {
        (self.operation, self.step, self.tearsWrites) = (operation, step, tearsWrites)
    }

    private static let calls: Set<FaultyFileSystem.Call> = [
        .makeDirectory, .createFile, .write, .setModified, .rename, .exchange, .link, .unlink, .removeDirectory,
    ]
    private static let indexCalls: Set<FaultyVFS.Call> = [.open, .delete, .write, .truncate, .mapMemory]

    /// Returns when the operation has come to its end before the step.
    package func perform(in directory: URL) throws {
        let run = OperationRun(operation, in: directory)
        let countdown: Locked<Int?> = Locked(nil)
        let endAtStep: @Sendable () -> Void = {
            let isLast = countdown.withLock { count in
                count = count.map { $0 - 1 }
                return count == 0
            }
            // No handler, no buffer written, nothing closed.
            if isLast { kill(getpid(), SIGKILL) }
        }
        run.fileSystem.observe { call, _ in if Self.calls.contains(call) { endAtStep() } }
        run.vfs.observe { event in
            if !event.isAfter, Self.indexCalls.contains(event.call) { endAtStep() }
            return 0
        }
        if tearsWrites {
            run.fileSystem.writeShort(true)
            run.vfs.tearWrites()
        }
        try run.begin()
        countdown.withLock { $0 = step }
        _ = try run.perform()
        run.settle()
        countdown.withLock { $0 = nil }
        withExtendedLifetime(run) {}
    }
}

extension CrashingRun {
    /// One line for ``init(line:)``, with the folder.
    package func line(in directory: URL) -> String {
        "\(operation.rawValue)\t\(step)\t\(tearsWrites)\t\(directory.path)"
    }

    /// nil for a line of another kind.
    package static func parse(_ line: String) -> (run: CrashingRun, directory: URL)? {
        let fields = line.split(separator: "\t", maxSplits: 3).map(String.init)
        guard fields.count == 4, let operation = StorageOperation(rawValue: fields[0]), let step = Int(fields[1]) else {
            return nil
        }
        return (
            CrashingRun(operation, step: step, tearsWrites: fields[2] == "true"),
            URL(fileURLWithPath: fields[3], isDirectory: true)
        )
    }
}
