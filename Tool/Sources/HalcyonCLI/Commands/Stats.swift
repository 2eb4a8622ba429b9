internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Shows a summary of a cache.
struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the size, the activity and the index of a cache.",
        discussion: """
            The counts cover all processes since the cache was created or its statistics were reset. What others have counted in the last ten seconds may be missing.

            EXAMPLES
              halcyon stats --folder ./cache
              halcyon stats --name default --json
              halcyon stats --folder ./cache --reset
            """)

    @OptionGroup var cache: CacheOptions

    @Flag(help: "Print a JSON object instead of lines.")
    var json = false

    @Flag(help: "Print the counters, then reset them.")
    var reset = false

    func run() throws {
        try cache.withStorage(.reading) { storage in
            let facts = try StorageFacts(storage)
            try Output.print(json ? facts.object.indented() : facts.lines)
            if reset { try storage.resetStatistics() }
        }
    }
}
