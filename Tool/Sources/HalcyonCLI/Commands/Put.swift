internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Stores files.
struct Put: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Store files, directories or standard input.",
        discussion: """
            The key is the path as you give it; for a file in a folder, the folder's path and the file's path in it. For a \
            folder, stores all regular files except hidden ones. Each key is printed on a line of its own. A key that \
            is cached already gets the new bytes. The cache is created if there is none. A file that cannot be read is \
            reported, and the others are stored.

            Pins and tags belong to the key: they stay unless you change them. Notes and HTTP validators belong to the \
            bytes: new bytes start without any.

            EXAMPLES
              halcyon put --folder ./cache photo.jpg ~/Pictures
              halcyon put --folder ./cache --pictures-only ~/Downloads
              halcyon put --folder ./cache --key https://a.example/1.png 1.png
              halcyon put --folder ./cache --key 1.png --processor round round.png
              halcyon put --folder ./cache --expires 90s --keep-expiration rates.json
              halcyon put --folder ./cache --pin --tag logo --note width=640 logo.png
              curl -s https://a.example/1 | halcyon put --folder ./cache --key 1 -
            """)

    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("The key; for one file or standard input.", valueName: "key"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The processor that made this variant of the image KEY. The entry is stored under KEY@IDENTIFIER, as by an app.",
            valueName: "identifier"))
    var processor: String?

    @Option(
        help: ArgumentHelp(
            "How long the entries live: 7d, 12h, 30m, 90s or never. (default: 7d)", valueName: "time"),
        transform: Expiry.parse)
    var expires: StorageExpiration?

    @Flag(help: "Skip files that are not PNG, JPEG, GIF or WebP.")
    var picturesOnly = false

    @OptionGroup var naming: ExtensionOption
    @OptionGroup(title: "ATTRIBUTES OF THE ENTRIES") var noted: AttributeOptions

    @Argument(
        help: ArgumentHelp("Files and directories; - for standard input.", valueName: "file"), completion: .file())
    var inputs: [String]

    func validate() throws {
        if inputs.contains("-") {
            guard inputs.count == 1 else {
                throw ValidationError("Standard input (-) cannot be combined with files. Use two commands.")
            }
            guard key != nil else { throw ValidationError("Standard input has no path. Give a key with --key.") }
        }
        if key != nil, inputs.count > 1 { throw ValidationError("--key is for a single entry. Give only one file.") }
        if key != nil, let folder = inputs.first(where: SourceFiles.isFolder) {
            throw ValidationError(
                "--key is for a single entry, but \(folder) is a directory. Leave out "
                    + "--key, or give a file.")
        }
        if processor != nil, key == nil {
            throw ValidationError("--processor needs the key of the image. Add --key.")
        }
        if inputs.contains("") { throw ValidationError("A path is empty. Give the path of a file or a directory.") }
    }

    func run() throws {
        if inputs == ["-"] { return try putStandardInput() }
        // Check before opening anything: a typo must not create a cache.
        guard inputs.contains(where: { FileManager.default.fileExists(atPath: $0) }) else {
            inputs.forEach { Message.print("Cannot store \($0): no such file or directory.") }
            throw Failure("None of the files exists, so nothing was stored. Check the paths.")
        }
        try cache.withStorage(.filling, putFiles)
    }

    // MARK: Standard input

    private func putStandardInput() throws {
        let data: Data
        do {
            data = try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw Failure("Cannot read standard input: \(error.reason). Nothing was stored.")
        }
        guard !picturesOnly || Self.isPicture(data) else {
            throw Failure(
                "Standard input is not a picture, so nothing was stored. Leave out --pictures-only to store it.")
        }
        try cache.withStorage(.filling) { storage in
            try Output.print(try store(data, key: key ?? "", in: storage))
            try Output.print(
                "Stored \(ByteSize(Int64(data.count))) in \(TextWidth.printable(storage.directoryURL.path)).")
        }
    }

    private static func isPicture(_ data: Data) -> Bool { data.kf.imageFormat != .unknown || data.kf.isWebP }

    /// - Returns: the key, on one line.
    private func store(_ data: Data, key: String, in storage: Storage) throws -> String {
        let variant = processor.flatMap { $0.isEmpty ? nil : "\(key)@\($0)" }
        try storage.store(
            value: data, forKey: variant ?? key, origin: KeyOrigin(baseKey: key), expiration: expires,
            writeOptions: [], forcedExtension: naming.pathExtension, attributes: noted.attributes)
        return TextWidth.printable(variant ?? key)
    }

    // MARK: Files

    private struct Outcome {
        var stored = 0
        var skipped = 0
        var bytes: Int64 = 0
        var failures = 0
        var isInterrupted = false
    }

    private func putFiles(in storage: Storage) throws {
        let sources = SourceFiles(inputs, leavingOut: storage.directoryURL)
        // Until here, Ctrl-C ends the command at once.
        let interruption = Interruption()
        sources.failures.forEach(Message.print)
        var outcome = Outcome()
        outcome.failures = sources.failures.count
        let bar = ProgressBar(total: sources.files.count)
        defer { bar.clear() }
        for (index, source) in sources.files.enumerated() {
            outcome.isInterrupted = interruption.isRequested
            if outcome.isInterrupted { break }
            bar.show(index, TextWidth.printable((source as NSString).lastPathComponent))
            try put(source, in: storage, &outcome, bar)
        }
        bar.clear()
        try report(outcome, of: sources.files.count, in: storage)
    }

    private func put(
        _ source: String, in storage: Storage, _ outcome: inout Outcome, _ bar: ProgressBar
    ) throws {
        let stored: String
        do {
            let data = try SourceFiles.read(source)
            if picturesOnly, !Self.isPicture(data) { return outcome.skipped += 1 }
            stored = try store(data, key: key ?? source, in: storage)
            outcome.stored += 1
            outcome.bytes += Int64(data.count)
        } catch let failure as Failure {
            outcome.failures += 1
            bar.clear()
            return Message.print(failure.message)
        } catch {
            // The cache itself failed, and would for the next file too.
            bar.clear()
            Message.print("Stopped after \(Count.files(outcome.stored)).")
            throw error
        }
        bar.clear()
        try Output.print(stored)
    }

    private static func skipped(_ count: Int) -> String {
        switch count {
        case 0: ""
        case 1: "; skipped 1 file that is not a picture"
        default: "; skipped \(Count.files(count)) that are not pictures"
        }
    }

    private func report(_ outcome: Outcome, of count: Int, in storage: Storage) throws {
        let files = Count.files(outcome.stored)
        if outcome.isInterrupted {
            Message.print("Interrupted: stored \(files) of \(count), \(ByteSize(outcome.bytes)).")
            throw ExitCode.interrupted
        }
        try Output.print(
            "Stored \(files), \(ByteSize(outcome.bytes)), in \(TextWidth.printable(storage.directoryURL.path))\(Self.skipped(outcome.skipped))."
        )
        guard outcome.failures > 0 else { return }
        let failures = outcome.failures == 1 ? "1 file or directory" : "\(outcome.failures) files or directories"
        throw Failure("\(failures) could not be read (see above). Check the paths and permissions.")
    }
}
