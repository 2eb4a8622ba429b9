import Foundation
import Testing

/// A real headless browser, which can access only the given files.
struct Browser {
    private let executable: URL
    private let folder: TemporaryFolder

    /// The browser that `Scripts/test` names must exist; otherwise any installed one is used.
    static let path: String? = {
        if let path = ProcessInfo.processInfo.environment["HALCYON_BROWSER"] { return path }
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        return names.map { "/usr/bin/\($0)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    init() throws {
        executable = URL(fileURLWithPath: try #require(Self.path))
        folder = try TemporaryFolder()
    }

    /// A page as the browser has parsed it.
    struct Document {
        /// Serialized by the browser: a `<` in it always begins an element.
        let text: String
        /// The console: violations of the page's policy, and errors of scripts.
        let console: [String]
        /// All requests of the browser, including its own.
        let requests: String

        /// The names of the elements, with repetitions.
        var elements: [String] { matches(of: "<([a-zA-Z][^\\s/>]*)", in: withoutStyle) }

        /// The names of all attributes.
        var attributes: Set<String> {
            Set(
                matches(
                    of: "\\s([a-zA-Z:-]+)=\"", in: matches(of: "<([^>]*)>", in: withoutStyle).joined(separator: " ")))
        }

        func count(_ element: String) -> Int { elements.count { $0 == element } }

        private var withoutStyle: String {
            text.replacingOccurrences(of: "<style>[^<]*</style>", with: "<style></style>", options: .regularExpression)
        }

        private func matches(of pattern: String, in text: String) -> [String] {
            // The test's own pattern is always valid.
            guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
            return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
                Range($0.range(at: 1), in: text).map { String(text[$0]) }
            }
        }
    }

    private var log: URL { folder.url.appendingPathComponent("requests.json") }

    /// Opens a page.
    func open(_ html: String) throws -> Document {
        let page = folder.url.appendingPathComponent("page.html")
        try Data(html.utf8).write(to: page)
        let (output, errors) = try run(["--dump-dom", page.absoluteString])
        let console = errors.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
        let requests = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        return Document(text: output, console: console, requests: requests)
    }

    private func run(_ arguments: [String]) throws -> (output: String, errors: String) {
        let streams = ["out", "err"].map { folder.url.appendingPathComponent($0) }
        for stream in streams { try Data().write(to: stream) }
        let handles = try [Tool.openNull()] + streams.map { try FileHandle(forUpdating: $0) }
        let profile = folder.url.appendingPathComponent("profile").path
        let options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--enable-logging=stderr", "--disable-background-networking", "--disable-component-update",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=\(profile)",
            "--log-net-log=\(log.path)",
        ]
        let child = try ChildProcess(
            executable, options + arguments, folder: folder.url, environment: ProcessInfo.processInfo.environment,
            streams: handles)
        #expect(child.wait() == 0)
        let texts = try streams.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return (texts[0], texts[1])
    }
}
