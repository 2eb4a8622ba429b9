internal import ArgumentParser
internal import Foundation
internal import Halcyon

/// Writes an entry's bytes.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write an entry's bytes to standard output or a file.",
        discussion: """
            Counts as a use: the entry becomes the most recently used one, and its time to live begins again. \
            Status 1 when nothing valid is cached under the key.

            EXAMPLES
              halcyon get --folder ./cache -o copy.jpg photo.jpg
              halcyon get --folder ./cache photo.jpg | file -
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file, over what is in it.", valueName: "file"))
    var output: String?

    @Flag(help: "Write to a terminal even what is no text.")
    var force = false

    @Argument(help: "The key.")
    var key: String

    func run() throws {
        let data = try cache.withStorage(.using, load)
        if let output, output != "-" { return try write(data, to: output) }
        guard force || Terminal.output == nil || Self.isText(data) else {
            throw Failure("The entry is binary, and the output is a terminal. Use -o FILE, a pipe, or --force.")
        }
        try data.withUnsafeBytes { try Output.write($0, to: STDOUT_FILENO) }
    }

    private func load(from storage: Storage) throws -> Data {
        if let data = try storage.value(forKey: key, forcedExtension: naming.pathExtension) { return data }
        try storage.settle(forKey: key, forcedExtension: naming.pathExtension)
        throw Failure(Self.miss(key))
    }

    /// The user typed the key in this very command, so it may be repeated.
    static func miss(_ key: String) -> String {
        "Nothing valid is cached under “\(TextWidth.printable(key))”. See ‘halcyon list’ for what is there; what was put "
            + "with --extension needs the same one."
    }

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
