internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Writes an entry's bytes.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write an entry's bytes to standard output or a file.",
        discussion: """
            Counts as a use: the entry becomes the most recently used one, and its time to live begins again. \
            Status 1 when nothing valid is cached under the key.

            With --as the picture is decoded and written in another format, an animation's first frame unless it is gif.

            EXAMPLES
              halcyon get --folder ./cache -o copy.jpg photo.jpg
              halcyon get --folder ./cache --as png -o photo.png photo.jpg
              halcyon get --folder ./cache photo.jpg | file -
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file, over what is in it.", valueName: "file"))
    var output: String?

    @Option(name: .customLong("as"), help: ArgumentHelp("Convert to png, jpeg or gif.", valueName: "format"))
    var format: PictureFormat?

    @Option(help: ArgumentHelp("Of a jpeg, from 0 to 1, the best and largest. (default: 0.9)", valueName: "number"))
    var quality: Double?

    @Flag(help: "Write to a terminal even what is no text.")
    var force = false

    @Argument(help: "The key.")
    var key: String

    func validate() throws {
        guard let quality else { return }
        guard format == .jpeg else {
            throw ValidationError("--quality is for --as jpeg. Leave it out for the other formats.")
        }
        guard (0...1).contains(quality) else { throw ValidationError("--quality is a number from 0 to 1, as 0.8.") }
    }

    func run() throws {
        let data = try cache.withStorage(.reading, load)
        if let output, output != "-" { return try write(data, to: output) }
        guard force || Terminal.output == nil || Self.isText(data) else {
            throw Failure("The entry is binary, and the output is a terminal. Use -o FILE, a pipe, or --force.")
        }
        try data.withUnsafeBytes { try Output.write($0, to: STDOUT_FILENO) }
    }

    private func load(from storage: Storage) throws -> Data {
        if let format { return try converted(to: format, from: storage) }
        if let data = try storage.value(forKey: key, forcedExtension: naming.pathExtension) { return data }
        try storage.settle(forKey: key, forcedExtension: naming.pathExtension)
        throw Failure(Self.miss(key))
    }

    private func converted(to format: PictureFormat, from storage: Storage) throws -> Data {
        let picture = try CachedImage(forKey: key, pathExtension: naming.pathExtension, in: storage)
        guard let data = picture.image.kf.data(format: format.imageFormat, compressionQuality: quality ?? 0.9) else {
            throw Failure("The picture does not fit into a \(format.rawValue). Give another format.")
        }
        return data
    }

    /// The user typed the key in this very command, so it may be repeated.
    static func miss(_ key: String) -> String {
        "Nothing valid is cached under “\(TextWidth.printable(key))”. \(remedy)"
    }

    static let remedy = "See ‘halcyon list’ for what is there; what was put with --extension needs the same one."

    /// Not through a temporary file that is renamed: the target may be a device or a link.
    private func write(_ data: Data, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        guard file >= 0 else {
            throw Failure("Cannot write \(path): \(Errno.text). Give another path.")
        }
        defer { close(file) }
        try data.withUnsafeBytes { try Output.write($0, to: file, name: path) }
    }

    private static func isText(_ data: Data) -> Bool {
        guard let text = String(data: data, encoding: .utf8) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control || "\n\r\t".unicodeScalars.contains(scalar)
        }
    }
}
