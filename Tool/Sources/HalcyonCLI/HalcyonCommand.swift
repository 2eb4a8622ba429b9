internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// `halcyon`: looks into a cache and keeps it in order.
@main
struct HalcyonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halcyon",
        abstract: "Look into an image cache and keep it in order.",
        discussion: """
            A cache is a folder. Every command takes it as --folder PATH, or as --name NAME for an app's cache in the \
            user's Caches folder.

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

    /// Ends as other Unix tools do when the reader of a pipe has seen enough: without a word, after the command has
    /// closed the cache.
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch is ClosedPipe {
            Foundation.exit(128 + SIGPIPE)
        } catch {
            exit(withError: error)
        }
    }
}
