import Foundation
import Testing

/// The built command line tool, on a cache in a folder of the test's own.
struct Tool {
    let folder: TemporaryFolder
    var cache: String { folder.url.appendingPathComponent("cache").path }

    init() throws { folder = try TemporaryFolder() }

    struct Result {
        let status: Int32
        let data: Data
        let errors: String
        var output: String { String(decoding: data, as: UTF8.self) }
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs a command on the cache: `tool("put", "a.png")`.
    @discardableResult
    func callAsFunction(_ command: String, _ arguments: String..., input: Data = Data()) throws -> Result {
        try run([command, "--folder", cache] + arguments, input: input)
    }

    /// Runs the tool with exactly these arguments, in the test's folder.
    func run(_ arguments: [String], input: Data = Data()) throws -> Result {
        try run(Self.executable, arguments, input: input)
    }

    /// Runs a line of shell in which `halcyon` is the tool and `$cache` the folder.
    func shell(_ line: String) throws -> Result {
        try run(URL(fileURLWithPath: "/bin/bash"), ["-c", "halcyon() { \"$HALCYON\" \"$@\"; }; \(line)"])
    }

    /// Output goes to files: pipes would have to be drained while the process runs.
    private func run(_ executable: URL, _ arguments: [String], input: Data = Data()) throws -> Result {
        let streams = try ["in", "out", "err"].map { try makeFile("\($0)-\(UUID().uuidString)") }
        defer { streams.forEach { try? FileManager.default.removeItem(at: $0) } }
        try input.write(to: streams[0])
        let handles = try streams.map { try FileHandle(forUpdating: $0) }
        let child = try start(arguments, executable: executable, streams: handles)
        let status = child.wait()
        return Result(
            status: status, data: try contents(of: streams[1]),
            errors: String(decoding: try contents(of: streams[2]), as: UTF8.self))
    }

    /// Starts the tool without waiting for it.
    func start(_ arguments: [String], executable: URL = Self.executable, streams: [FileHandle]) throws -> ChildProcess {
        // A command calls `exit` while objects are alive, which a leak check would report; memory errors still end it.
        let environment = ProcessInfo.processInfo.environment.merging(
            [
                "TZ": "UTC", "TERM": "xterm", "cache": cache, "HALCYON": Self.executable.path,
                "ASAN_OPTIONS": "detect_leaks=0",
            ]
        ) { _, new in new }
        return try ChildProcess(
            executable, arguments, folder: folder.url, environment: environment, streams: streams)
    }

    /// `Data(contentsOf:)` leaks a buffer for each empty file (Foundation 6.3), and the address sanitizer counts it.
    func contents(of file: URL) throws -> Data {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        return try handle.readToEnd() ?? Data()
    }

    // MARK: Files

    /// Writes a file into the test's folder; its path from there is its name.
    func write(_ name: String, _ data: Data) throws {
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    func makeFile(_ name: String) throws -> URL {
        let url = folder.url.appendingPathComponent(".\(name)")
        try Data().write(to: url)
        return url
    }

    /// Files in the cache's folder.
    func blobCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: cache).count { !$0.hasPrefix(".") }
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: The executable

    private final class Marker {}

    /// In the folder of the test bundle, wherever that is.
    private static let executable: URL = {
        var folder = Bundle(for: Marker.self).bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("halcyon")
            if FileManager.default.isExecutableFile(atPath: candidate.path), !isFolder(candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        fatalError("the product halcyon is not beside the test bundle")
    }()

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

extension Tool.Result {
    /// The output as a JSON object.
    func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The output as a JSON array of objects.
    func objects() throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    }

    /// One or two plain sentences on standard error, without Swift's own text, and no output.
    func isPlainError(containing text: String, status: Int32 = 1) -> Bool {
        self.status == status && errors.contains(text) && errors.hasPrefix("Error: ") && !errors.contains("Swift.")
            && !errors.contains("NSError") && !errors.contains("Optional(") && !errors.contains("CacheStorageError")
            && output.isEmpty
    }
}
