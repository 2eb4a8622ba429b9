import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The server as users run it, in its own process.
final class RunningServer: @unchecked Sendable {
    // Sendable because `process` is constant, and is only signaled and waited for.
    private let process = Process()
    let port: Int
    private let client: HTTPClient

    struct Reply: Sendable, Equatable {
        let status: UInt
        let etag: String?
        let cacheControl: String?
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    init(
        cache: URL, client: HTTPClient, origin: LocalOrigin, megabytes: Int = 500, patience: Double = 20,
        token: String = "token"
    ) async throws {
        self.client = client
        process.executableURL = try Self.executable()
        process.arguments = [
            "--allow", "127.0.0.1:\(origin.port)", "--patience", "\(patience)", "--port", "0", "--cache", cache.path,
            "--megabytes", "\(megabytes)",
            "--token", token, "--log-level", "error", "--clean-seconds", "0.1",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        port = try await Self.port(saidIn: output.fileHandleForReading)
    }

    /// The exit status of a server whose options are not valid.
    static func exitStatus(of arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static func port(saidIn output: FileHandle) async throws -> Int {
        // Waits for the line on a separate thread.
        let line = await Task.detached {
            var line = Data()
            while let byte = try? output.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) { line += byte }
            return String(decoding: line, as: UTF8.self)
        }.value
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else { throw CocoaError(.executableLoad) }
        return port
    }

    private final class Marker {}

    /// The executable next to the test bundle.
    private static func executable() throws -> URL {
        var folder = Bundle(for: Marker.self).bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("ThumbnailServer")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    // MARK: Requests

    func get(
        _ path: String, etag: String? = nil, isHead: Bool = false, timeout: TimeAmount = .seconds(60)
    ) async throws -> Reply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
        if isHead { request.method = .HEAD }
        if let etag { request.headers.add(name: "If-None-Match", value: etag) }
        return try await reply(to: request, timeout)
    }

    /// Sends bytes to a new connection, and returns what arrives until the server closes it.
    func send(_ text: String) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { received, sent in
            try await sent.write(ByteBuffer(string: text))
            var answer = ""
            for try await bytes in received { answer += String(buffer: bytes) }
            return answer
        }
    }

    func delete(_ path: String, token: String) async throws -> Reply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
        request.method = .DELETE
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        return try await reply(to: request, .seconds(60))
    }

    private func reply(to request: HTTPClientRequest, _ timeout: TimeAmount) async throws -> Reply {
        let response = try await client.execute(request, timeout: timeout)
        let body = try await response.body.collect(upTo: 10_000_000)
        return Reply(
            status: response.status.code, etag: response.headers.first(name: "ETag"),
            cacheControl: response.headers.first(name: "Cache-Control"), body: Data(body.readableBytesView))
    }

    func thumbnail(
        _ picture: String, of origin: LocalOrigin, width: Int = 64, etag: String? = nil,
        timeout: TimeAmount = .seconds(60)
    ) async throws -> Reply {
        try await get(
            "thumb?url=http://127.0.0.1:\(origin.port)/\(picture)&w=\(width)", etag: etag, timeout: timeout)
    }

    /// The value of a line of `/metrics`.
    func metric(_ name: String) async throws -> Int? {
        try await get("metrics").text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }?
            .split(separator: " ").last.flatMap { Int($0) }
    }

    func stats() async throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: try await get("stats").body) as? [String: Any] ?? [:]
    }

    func requests() async throws -> (hits: Int, misses: Int) {
        let stats = try await stats()
        return (stats["hits"] as? Int ?? -1, stats["misses"] as? Int ?? -1)
    }

    // MARK: Shutdown

    func terminate() { process.terminate() }

    /// - Returns: the exit code.
    func waitForEnd() async -> Int32 {
        await Task.detached { [process] in process.waitUntilExit() }.value
        return process.terminationStatus
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
