internal import ArgumentParser
internal import Foundation
internal import Halcyon

/// Removes entries.
struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove entries by their keys, or all of them.",
        discussion: """
            A key under which nothing is cached is named, the others are removed, and the status is 1. --all asks \
            before it removes; --yes answers, and is needed where nobody can be asked.

            EXAMPLES
              halcyon remove --folder ./cache photo.jpg https://example.com/a.png
              halcyon remove --folder ./cache --all --yes
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Flag(help: "Remove everything.")
    var all = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Argument(help: "The keys.")
    var keys: [String] = []

    func validate() throws {
        if all, !keys.isEmpty { throw ValidationError("Give keys or --all, not both.") }
        if !all, keys.isEmpty { throw ValidationError("Give the keys to remove, or --all for everything.") }
    }

    func run() throws {
        try cache.withStorage { storage in
            if all { try removeAll(from: storage) } else { try removeKeys(from: storage) }
        }
    }

    private func removeKeys(from storage: Storage) throws {
        var missing = 0
        for key in keys {
            if try storage.hasTrace(forKey: key, forcedExtension: naming.pathExtension) {
                try storage.remove(forKey: key, forcedExtension: naming.pathExtension)
            } else {
                missing += 1
                Message.print("Nothing is cached under “\(TextWidth.printable(key))”.")
            }
        }
        try Output.print("Removed \(Count.entries(keys.count - missing)).")
        guard missing == 0 else { throw ExitCode.failure }
    }

    private func removeAll(from storage: Storage) throws {
        let totals = try storage.summary().totals
        let text = "\(Count.entries(Int(totals.entries))), \(ByteSize(totals.bytes)),"
        guard try yes || isConfirmed("Remove \(text) from \(storage.directoryURL.path)? [y/N] ") else {
            throw Failure("Nothing was removed.")
        }
        try storage.removeAll()
        try Output.print("Removed \(text) from \(storage.directoryURL.path).")
    }

    private func isConfirmed(_ question: String) throws -> Bool {
        guard Terminal.input != nil else {
            throw Failure("Nobody can be asked whether to remove everything. Add --yes to do it.")
        }
        FileHandle.standardError.write(Data(question.utf8))
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}
