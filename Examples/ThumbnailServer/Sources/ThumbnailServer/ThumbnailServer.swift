import ArgumentParser
import AsyncHTTPClient
import Foundation
import Halcyon
import HalcyonObservability
import Hummingbird
import Logging
import Metrics
import NIOCore
import ServiceLifecycle

/// Serves thumbnails of images on other hosts, cached on disk.
@main struct ThumbnailServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ThumbnailServer",
        abstract: "Serves thumbnails of images on other hosts, and caches them on disk.")

    @Option(
        name: .customLong("allow"),
        help: "A host from which images may be downloaded, HOST or HOST:PORT. Repeat for more.")
    var allowedHosts: [String] = []

    @Option(help: "The deadline for a download in seconds. A host may stall for half of it.")
    var patience = 20.0

    @Option(help: "The port to listen on; 0 for any free port.")
    var port = 8080

    @Option(help: "The folder for the cache. (default: in your Caches directory)")
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "The size limit of the cache in megabytes. When it is exceeded, the least recently used "
                + "half is evicted."))
    var megabytes: UInt = 500

    @Option(help: "Seconds between two checks of the limit.")
    var cleanSeconds = 60.0

    @Option(
        help: ArgumentHelp(
            "Allow DELETE for clients that send this token as \"Authorization: Bearer\". Without this "
                + "option, DELETE is disabled."))
    var token: String?

    @Option(help: "The log level: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.info

    func validate() throws {
        guard !allowedHosts.isEmpty else { throw ValidationError("Give at least one host: --allow images.example.com") }
        for host in allowedHosts where AllowedHost.allowed(by: host) == nil {
            throw ValidationError("\(host) is not a host or HOST:PORT. There are no wildcards.")
        }
        guard patience > 0, patience <= 3_600 else {
            throw ValidationError(
                "--patience is a number of "
                    + "seconds up to 3600.")
        }
        guard megabytes > 0, megabytes <= 1_000_000 else { throw ValidationError("--megabytes is 1 to 1000000.") }
        guard cleanSeconds > 0, cleanSeconds <= 86_400 else { throw ValidationError("--clean-seconds is up to a day.") }
        guard token != "" else { throw ValidationError("--token is empty.") }
        guard cache != "" else { throw ValidationError("--cache is empty.") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    }

    func run() async throws {
        let metrics = TextMetrics()
        MetricsSystem.bootstrap(metrics)
        var logger = Logger(label: "thumbnails")
        logger.logLevel = logLevel

        #if os(Linux)
            // A progressive JPEG of 16 megapixels takes up to 192 MB to decode, and one decodes on each processor.
            HalcyonImage.pixelLimit = 16_000_000
        #endif
        // If a thumbnail cannot be stored, no call throws that: clients get it all the same.
        let reporter = CacheReporter(cache: "thumbnails", logger: logger, failureLevel: .warning)
        let storage = try openStorage(reporter)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: Origin.clientConfiguration(patience: patience))
        let origin = Origin(
            client: client, allowedHosts: Set(allowedHosts.compactMap(AllowedHost.allowed).joined()))
        let thumbnails = Thumbnails(storage: storage, origin: origin, patience: .seconds(patience))
        let app = Application(
            router: routes(thumbnails, token: token, metrics: metrics, reporter: reporter),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            services: [Cleaning(storage: storage, seconds: cleanSeconds)],
            onServerRunning: { Self.say("listening on 127.0.0.1:\($0.localAddress?.port ?? 0)") },
            logger: logger)
        // Ends on SIGTERM or SIGINT, after the requests in progress. Of a response that a client is still receiving, Hummingbird drops what
        // the system has not accepted yet, which concerns responses of some megabytes.
        let result = await Result { try await app.runService() }
        try await client.shutdown()
        storage.close()
        try result.get()
    }

    /// Prints without buffering, even to a pipe.
    private static func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }

    private func openStorage(_ reporter: CacheReporter) throws -> DiskStorage.Backend<Data> {
        var config = DiskStorage.Config(
            name: "thumbnails", sizeLimit: megabytes * 1_000_000,
            directory: cache.map { URL(fileURLWithPath: $0, isDirectory: true) })
        config.expiration = .days(30)
        config.report(to: reporter)
        return try DiskStorage.Backend<Data>(config: config)
    }
}

/// Keeps the cache within its limit while the server runs.
private struct Cleaning: Service {
    let storage: DiskStorage.Backend<Data>
    let seconds: TimeInterval

    func run() async throws {
        try? await cancelWhenGracefulShutdown { try await storage.async.keepLimits(every: seconds) }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
