internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Shows what picture an entry holds.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what picture an entry holds: format, pixels, frames, cost in memory.",
        discussion: """
            On a terminal the picture itself is drawn too, with half blocks in 24-bit colour. Reading it counts as a use; \
            its time to live stays as it is. Status 1 when nothing valid is cached under the key, or it is no picture.

            EXAMPLES
              halcyon show --folder ./cache photo.jpg
              halcyon show --folder ./cache --json photo.jpg
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Flag(help: "An object instead of lines.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "Draw the picture. (default: on a terminal)")
    var draw: Bool?

    @Argument(help: "The key; that of a variant ends with @ and its processor's identifier.")
    var key: String

    func validate() throws {
        if json, draw == true {
            throw ValidationError("A drawing is no part of an object. Leave out --json or --draw.")
        }
    }

    func run() throws {
        try cache.withStorage(.reading) { storage in
            let picture = try CachedImage(forKey: key, pathExtension: naming.pathExtension, in: storage)
            let facts = PictureFacts(
                picture, path: storage.cacheFileURL(forKey: key, forcedExtension: naming.pathExtension).path)
            guard !json else { return try Output.print(facts.object.indented()) }
            try Output.print(facts.lines)
            if draw ?? (Terminal.output != nil) { try drawPicture(picture.image) }
        }
    }

    private func drawPicture(_ image: KFCrossPlatformImage) throws {
        let width = min(80, Terminal.output?.width ?? 80)
        guard let drawing = TerminalPicture(image, width: width, height: 2 * 24) else { return }
        try Output.print("\n\(drawing.text)")
    }
}
