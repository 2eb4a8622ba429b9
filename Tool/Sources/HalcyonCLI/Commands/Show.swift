internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Shows the image of an entry.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the picture of an entry: format, size, frames, memory cost.",
        discussion: """
            On a terminal, the picture itself is drawn too, with half blocks in 24-bit color. The status is 1 if nothing \
            valid is cached under the key, or if it is not a picture. Looking does not count as a use, unless you add \
            --count-use.

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

    @OptionGroup var use: UseOptions

    @Argument(help: "The key. The key of a variant ends with @ and the identifier of its processor.")
    var key: String

    func validate() throws {
        if json, draw == true {
            throw ValidationError("--json and --draw cannot be combined. Leave out one of the two.")
        }
    }

    func run() throws {
        try cache.withStorage(.reading) { storage in
            let picture = try CachedImage(use.value(forKey: key, naming, in: storage))
            let facts = try PictureFacts(picture, entry(in: storage), key: key, path: path(in: storage))
            guard !json else { return try Output.print(facts.object.indented()) }
            try Output.print(facts.lines)
            if draw ?? (Terminal.output != nil) { try drawPicture(picture.image) }
        }
    }

    private static let otherRows = 12

    private func entry(in storage: Storage) throws -> Entry {
        guard let entry = try storage.row(forKey: key, forcedExtension: naming.pathExtension) else {
            throw Get.miss(key, naming, in: storage)
        }
        return entry
    }

    private func path(in storage: Storage) -> String {
        storage.cacheFileURL(forKey: key, forcedExtension: naming.pathExtension).path
    }

    /// Each row of the terminal shows two rows of the picture. The facts and the prompt need rows too.
    private func drawPicture(_ image: KFCrossPlatformImage) throws {
        let (columns, rows) = Terminal.output?.size ?? (80, 24)
        guard let drawing = TerminalPicture(image, width: columns, height: 2 * max(4, rows - Self.otherRows)) else {
            return
        }
        try Output.print("\n\(drawing.text)")
    }
}
