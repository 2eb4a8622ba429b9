internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Writes an entry's bytes.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write an entry's bytes to standard output or a file.",
        discussion: """
            The status is 1 if nothing valid is cached under the key. Looking does not count as a use: the order of \
            eviction, the expiration and the statistics stay as they are, unless you add --count-use.

            With --as, the picture is decoded and written in another format. PNG and JPEG get the first frame of an \
            animation.

            EXAMPLES
              halcyon get --folder ./cache -o copy.jpg photo.jpg
              halcyon get --folder ./cache --as png -o photo.png photo.jpg
              halcyon get --folder ./cache photo.jpg | file -
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write to this file, replacing its contents.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(name: .customLong("as"), help: ArgumentHelp("Convert to png, jpeg, gif or webp.", valueName: "format"))
    var format: PictureFormat?

    @Option(
        help: ArgumentHelp(
            "The quality of a JPEG or WebP, from 0 to 1 (the best and largest). "
                + "(default: 0.9)", valueName: "number"))
    var quality: Double?

    @Flag(help: "Write binary data even to a terminal.")
    var force = false

    @OptionGroup var use: UseOptions

    @Argument(help: "The key.")
    var key: String

    func validate() throws {
        guard output != "" else { throw ValidationError("-o is empty. Give the path of a file.") }
        guard let quality else { return }
        guard format?.hasQuality == true else {
            throw ValidationError("--quality is for --as jpeg and --as webp. Leave it out for the other formats.")
        }
        guard (0...1).contains(quality) else {
            throw ValidationError("--quality is a number from 0 to 1, such as 0.8.")
        }
    }

    func run() throws {
        let data = try cache.withStorage(.reading, load)
        if let output, output != "-" { return try ReplacedFile(path: output).write(data) }
        guard force || Terminal.output == nil || Self.isText(data) else {
            throw Failure("The entry is binary, and the output is a terminal. Use -o FILE, a pipe, or --force.")
        }
        try data.withUnsafeBytes { try Output.write($0, to: STDOUT_FILENO) }
    }

    private func load(from storage: Storage) throws -> Data {
        try CacheFolder.require(output, outside: storage.directoryURL)
        let data = try use.value(forKey: key, naming, in: storage)
        return try format.map { try converted(data, to: $0) } ?? data
    }

    private func converted(_ data: Data, to format: PictureFormat) throws -> Data {
        guard let data = format.data(of: try CachedImage(data).image, quality: quality ?? 0.9) else {
            throw Failure(format.refusal)
        }
        return data
    }

    /// The message may repeat the key, because the user typed it in this command.
    static func miss(_ key: String, _ naming: ExtensionOption, in storage: Storage) -> Failure {
        let entry = try? storage.entry(forKey: key, forcedExtension: naming.pathExtension)
        let hint = entry?.isExpired() == true ? "The entry has expired, and the next clean removes it." : remedy
        return Failure("Nothing valid is cached under “\(TextWidth.printable(key))”. \(hint)")
    }

    static let remedy =
        "‘halcyon list’ shows all entries. If the entry was put with --extension, pass the "
        + "same extension."

    private static func isText(_ data: Data) -> Bool {
        guard let text = String(data: data, encoding: .utf8) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control || "\n\r\t".unicodeScalars.contains(scalar)
        }
    }
}
