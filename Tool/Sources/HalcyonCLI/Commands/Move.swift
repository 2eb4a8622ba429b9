internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Takes a whole cache to another folder.
struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move a whole cache to another folder, also on another volume.",
        discussion: """
            No app should use the cache meanwhile. The new folder has to be missing or empty. Interrupted, the cache is whole \
            in one of the two folders, and the same command goes on.

            EXAMPLES
              halcyon move --folder ./cache --to /data/cache
            """)

    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("The new folder of the cache.", valueName: "path"))
    var to: String

    func validate() throws {
        if to.isEmpty { throw ValidationError("--to is empty. Give the path of the new folder.") }
    }

    func run() throws {
        let source = cache.folderURL
        let target = URL(fileURLWithPath: (to as NSString).expandingTildeInPath, isDirectory: true)
        // What an interrupted move has left of the source may not look like a cache any more.
        if !CacheFolder(path: target.path).hasIndex { _ = try cache.requireFolder(.using) }
        let interruption = Interruption()
        let progress = Progress(totalUnitCount: 0)
        let isMoved = Locked(false)
        let watcher = ProgressWatcher(progress, interruption)
        defer { watcher.stop() }
        do {
            try isMoved.withLock { $0 = try DiskStorage.moveCache(from: source, to: target, progress: progress) }
        } catch is CancellationError {
            watcher.stop()
            Message.print("Interrupted: the cache is where it was.")
            throw ExitCode.interrupted
        } catch {
            throw Failure("Cannot move the cache. \(error)")
        }
        watcher.stop()
        guard isMoved.withLock({ $0 }) else {
            throw Failure("There is nothing to move at \(source.path). Check --folder or --name.")
        }
        try Output.print("Moved to \(target.path).")
    }
}
