internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// `halcyon`: inspects and maintains a cache.
@main
struct HalcyonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halcyon",
        abstract: "Inspect and maintain an image cache.",
        discussion: """
            A cache is a directory. Pass it with --folder PATH, or with --name NAME for an app's cache in your Caches directory.

            EXAMPLES
              halcyon put --folder ./cache ~/Pictures
              halcyon list --folder ./cache --sort size --limit 10
              halcyon clean --folder ./cache --limit 50MB
            """,
        version: halcyonVersion,
        subcommands: [
            Put.self, Get.self, Show.self, List.self, Stats.self, Remove.self, Clean.self, Check.self, Path.self,
            Upgrade.self, Info.self, Pin.self, Unpin.self, Tag.self, Note.self, Report.self, Watch.self,
        ])

    /// Exits silently if the reader of a pipe closes it, as other Unix tools do, but only after the command has closed the cache.
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        // A file that exceeds `ulimit -f` is then an error.
        signal(SIGXFSZ, SIG_IGN)
        // Otherwise the number of a closed output would go to the next file that is opened. Opened the wrong way, so that using it fails.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY)
        }
        widenHelp()
        do {
            // Swift reads them from /proc. Without them, the command would print its help, and succeed.
            guard !CommandLine.arguments.isEmpty else {
                throw Failure("The arguments of the command cannot be read. Make /proc available.")
            }
            // Swift replaces what is not UTF-8, so that several keys would become one.
            for index in 1..<max(1, Int(CommandLine.argc))
            where CommandLine.unsafeArgv[index].flatMap({ String(validatingCString: $0) }) == nil {
                throw Failure(
                    "Argument \(index) is not UTF-8. Nothing was done. To store a file whose name is not UTF-8, use "
                        + "halcyon put --key KEY - <FILE.")
            }
            let commands = configuration.subcommands.map { $0._commandName } + ["help"]
            let arguments = CommandLine.arguments.dropFirst()
            if let error = UnknownCommand.error(in: arguments, commands: commands)
                ?? UnknownCommand.missingValue(in: arguments) ?? UnknownCommand.hiddenHelp(in: arguments)
            {
                throw error
            }
            var command = try parseAsRoot()
            try command.run()
        } catch is ClosedPipe {
            Foundation.exit(128 + SIGPIPE)
        } catch {
            // They quote SQLite, which may quote the index, such as a message of a trigger.
            let isOfCache = error is CacheStorageError || error is KingfisherError
            exit(withError: isOfCache ? Failure(error.localizedDescription) : error)
        }
    }

    /// In fewer than 27 columns, the parser cannot print its help.
    private static func widenHelp() {
        let columns =
            ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? Terminal.output?.size.columns
        if let columns, columns < 40 { setenv("COLUMNS", "40", 1) }
    }
}
