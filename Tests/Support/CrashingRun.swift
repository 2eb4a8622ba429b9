package import Foundation
internal import Halcyon

/// Runs an operation in a process that ends at one of its steps.
///
/// A step precedes a call that changes something on the disk, of the file system or of SQLite. Between two steps the disk does not change,
/// so ending elsewhere would make no difference.
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

    /// Returns if the operation ends before that step.
    package func perform(in directory: URL) throws {
        let run = OperationRun(operation, in: directory)
        let countdown: Locked<Int?> = Locked(nil)
        let endAtStep: @Sendable () -> Void = {
            let isLast = countdown.withLock { count in
                count = count.map { $0 - 1 }
                return count == 0
            }
            // No exit handler runs, no buffer is written, and nothing is closed.
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

    /// nil for any other line.
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
