internal import ArgumentParser
internal import Foundation
internal import Halcyon

/// Shows what can be said of a cache in a few lines.
struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how much is in the cache, and what its index is like.",
        discussion: """
            EXAMPLES
              halcyon stats --folder ./cache
              halcyon stats --name default --json
            """)

    @OptionGroup var cache: CacheOptions

    @Flag(help: "An object instead of lines.")
    var json = false

    func run() throws {
        try cache.withStorage { storage in
            let facts = try StorageFacts(storage)
            try Output.print(json ? facts.object.indented() : facts.lines)
        }
    }
}
