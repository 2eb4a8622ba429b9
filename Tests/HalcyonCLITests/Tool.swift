import Foundation
import HalcyonTestSupport
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
        let process = makeProcess(arguments, executable: executable)
        let streams = try ["in", "out", "err"].map { try makeFile("\($0)-\(UUID().uuidString)") }
        try input.write(to: streams[0])
        process.standardInput = try FileHandle(forReadingFrom: streams[0])
        process.standardOutput = try FileHandle(forWritingTo: streams[1])
        process.standardError = try FileHandle(forWritingTo: streams[2])
        try process.run()
        process.waitUntilExit()
        defer { streams.forEach { try? FileManager.default.removeItem(at: $0) } }
        return Result(
            status: process.terminationStatus, data: try Data(contentsOf: streams[1]),
            errors: try String(contentsOf: streams[2], encoding: .utf8))
    }

    func makeProcess(_ arguments: [String], executable: URL = Self.executable) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["TZ": "UTC", "cache": cache, "HALCYON": Self.executable.path]
        ) { _, new in new }
        return process
    }

    // MARK: Files

    /// Writes a file into the test's folder; its path from there is its name.
    func write(_ name: String, _ data: Data) throws {
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    private func makeFile(_ name: String) throws -> URL {
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

    /// One plain sentence or two on standard error, nothing of Swift's in it, and no output.
    func isPlainError(containing text: String, status: Int32 = 1) -> Bool {
        self.status == status && errors.contains(text) && errors.hasPrefix("Error: ") && !errors.contains("Swift.")
            && !errors.contains("NSError") && !errors.contains("Optional(") && !errors.contains("CacheStorageError")
            && output.isEmpty
    }
}
