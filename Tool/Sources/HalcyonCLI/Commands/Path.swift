internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Shows the path of an entry's blob.
struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the path of an entry's blob.",
        discussion: """
            The path follows from the key alone, so it is printed even if nothing valid is cached there. The command then says \
            so on standard error and exits with status 1. Does not count as a use.

            EXAMPLES
              open "$(halcyon path --folder ./cache photo.jpg)"
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Argument(help: "The key.")
    var key: String

    func run() throws {
        try cache.withStorage(.reading) { storage in
            let url = storage.fileURLIfCached(forKey: key, forcedExtension: naming.pathExtension)
            try Output.print((url ?? storage.cacheFileURL(forKey: key, forcedExtension: naming.pathExtension)).path)
            guard url != nil else { throw Get.miss(key, naming, in: storage) }
        }
    }
}
