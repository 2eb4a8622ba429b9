internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Writes an HTML report about a cache.
struct Report: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write an HTML report: space by host, what is evicted next, hit rate.",
        discussion: """
            One HTML file that needs nothing else and runs no script, to look at in a browser, to print or to send. \
            Keys are private: entries are shown by host or file name and the first digits of a hash, unless you add --keys.

            --pictures puts a small copy of each image beside its entry, so that you see what fills the cache. The copies \
            are part of the file, at most 12 kB each. Do not send the file to people who must not see these images.

            The report does not count as a use of any entry.

            EXAMPLES
              halcyon report --folder ./cache -o cache.html
              halcyon report --name default --limit 200MB -o - > cache.html
              halcyon report --folder ./cache --pictures -o cache.html
              halcyon report --folder ./cache --json
            """)

    @OptionGroup var cache: CacheOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("Show this size limit, such as 50MB, and what an eviction would remove.", valueName: "size"),
        transform: ByteSize.parse)
    var limit: ByteSize?

    @Option(help: ArgumentHelp("Show this limit of the number of entries.", valueName: "number"))
    var countLimit: Int64?

    @Flag(help: "Show whole keys, which may be private.")
    var keys = false

    @Flag(help: "Show a small picture beside each entry that is an image. Pictures may be private.")
    var pictures = false

    @Flag(help: "Print the figures as a JSON object instead of a page.")
    var json = false

    func validate() throws {
        if limit?.bytes == 0 { throw ValidationError("A limit of 0 bytes is no limit. Leave out --limit.") }
        if let countLimit, countLimit < 1 { throw ValidationError("--count-limit is a number of entries, 1 or more.") }
        if json, pictures {
            throw ValidationError("--json and --pictures cannot be combined. Leave out one of the two.")
        }
        if output == nil, !json {
            throw ValidationError("Give the output file: -o FILE, or -o - for standard output.")
        }
        if output?.isEmpty ?? false { throw ValidationError("-o is empty. Give the path of a file.") }
    }

    func run() throws {
        if pictures { try Thumbnails.requireCodecs() }
        let figures = try cache.withStorage(.reading, figures(of:))
        let text = json ? figures.object.indented() + "\n" : ReportPage(figures).html.text
        guard let output, output != "-" else {
            return try Array(text.utf8).withUnsafeBytes { try Output.write($0, to: STDOUT_FILENO) }
        }
        try ReplacedFile(path: output).write(Data(text.utf8))
    }

    private func figures(of storage: Storage) throws -> ReportFigures {
        try CacheFolder.require(output, outside: storage.directoryURL)
        let limits = StorageLimits(bytes: limit?.bytes ?? 0, entries: countLimit ?? 0)
        var bar = ProgressBar(total: Int(clamping: try storage.totals().entries))
        defer { bar.clear() }
        return try ReportFigures(storage, limits: limits, showsKeys: keys, showsPictures: pictures) { step in
            switch step {
            case .entries(let count): bar.show(count, "entries counted")
            case .pictures(0, let total):
                bar.clear()
                bar = ProgressBar(total: total)
            case .pictures(let count, _): bar.show(count, "entries searched for pictures")
            }
        }
    }
}
