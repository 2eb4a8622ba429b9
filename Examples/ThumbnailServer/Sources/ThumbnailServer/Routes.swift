import Crypto
import Foundation
import HTTPTypes
import Halcyon
import HalcyonObservability
import Hummingbird

/// The routes of the server.
func routes(
    _ thumbnails: Thumbnails, token: String?, metrics: TextMetrics, reporter: CacheReporter
) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorAnswers())
    router.add(middleware: MetricsMiddleware())
    let thumbnail = { @Sendable (request: Request, _: BasicRequestContext) async throws -> Response in
        // Nothing below reads a body, and the connection would wait until something does.
        guard request.headers[.transferEncoding] == nil, request.headers[.contentLength] ?? "0" == "0" else {
            throw HTTPError(.badRequest, message: "GET takes no body")
        }
        let (url, width) = try wanted(in: request, from: thumbnails.origin)
        guard try await !thumbnails.isCached(url, width: width) else {
            return try await answer(request, with: thumbnails, url, width: width)
        }
        // A client that disconnects stops waiting. When no other client waits, the download is canceled. Detecting the disconnect
        // uses up the connection, which ends with the response.
        return try await lastAnswer {
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                try await answer(request, with: thumbnails, url, width: width)
            }
        }
    }
    router.delete("thumb") { request, _ in
        guard let token, let given = bearer(of: request), isSame(given, token) else {
            throw HTTPError(
                .unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "DELETE takes the server's token")
        }
        let url = try thumbnails.origin.require(try request.uri.queryParameters.require("url"))
        return "removed \(try await thumbnails.remove(allOf: url))\n"
    }
    let stats = { @Sendable (request: Request, context: BasicRequestContext) async throws -> Response in
        let stats = try await thumbnails.storage.async.perform { Stats(try $0.usage(), try $0.statistics) }
        return try stats.response(from: request, context: context)
    }
    let text = { @Sendable (request: Request, context: BasicRequestContext) async throws -> Response in
        // While the cache cannot be used, its counters of failures matter most.
        if let totals = try? await thumbnails.storage.async.perform({ try $0.totals() }) { reporter.record(totals) }
        return metrics.text.response(from: request, context: context)
    }
    for (path, answer) in [("thumb", thumbnail), ("stats", stats), ("metrics", text)] {
        router.get(RouterPath(path), use: answer)
        // One that the router generates drops the closure by which the metrics count the end of a request.
        router.head(RouterPath(path)) { try await answer($0, $1).createHeadResponse() }
    }
    return router
}

/// Errors must not be cached, and a response to HEAD must not have a body: it would be read as the beginning of the next response.
private struct ErrorAnswers: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext, next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any HTTPResponseError {
            return try answer(error, request, context)
        } catch is KingfisherError {
            // The reporter has logged the reason.
            return try answer(
                HTTPError(.serviceUnavailable, message: "the cache cannot be used now"), request, context)
        }
    }

    private func answer(
        _ error: any HTTPResponseError, _ request: Request, _ context: BasicRequestContext
    ) throws -> Response {
        var response = try error.response(from: request, context: context)
        response.headers[.cacheControl] = "no-store"
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// The token of an `Authorization` header. The name of the scheme is case-insensitive.
private func bearer(of request: Request) -> String? {
    let words = request.headers[.authorization]?.split(separator: " ") ?? []
    return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
}

/// Takes the same time wherever two texts differ: digests are compared in constant time.
private func isSame(_ text: String, _ secret: String) -> Bool {
    SHA256.hash(data: Data(text.utf8)) == SHA256.hash(data: Data(secret.utf8))
}

private func wanted(in request: Request, from origin: Origin) throws -> (URL, width: Int) {
    let parameters = request.uri.queryParameters
    let url = try origin.require(try parameters.require("url"))
    guard let width = parameters["w"].flatMap({ Int($0) }), (16...2_048).contains(width) else {
        throw HTTPError(.badRequest, message: "w is the longer side, 16 to 2048 pixels")
    }
    return (url, width)
}

/// Marks the response as the last one of its connection, also if it is an error.
private func lastAnswer(_ make: () async throws -> Response) async throws -> Response {
    do {
        var response = try await make()
        response.headers[.connection] = "close"
        return response
    } catch var error as HTTPError {
        error.headers[.connection] = "close"
        throw error
    }
}

private func contentType(of thumbnail: Data) -> String {
    if thumbnail.kf.isWebP { return "image/webp" }
    return thumbnail.kf.imageFormat == .JPEG ? "image/jpeg" : "image/png"
}

/// The entity tag is that of the thumbnail: the host's names different bytes.
private func answer(
    _ request: Request, with thumbnails: Thumbnails, _ url: URL, width: Int
) async throws -> Response {
    let data = try await thumbnails.thumbnail(of: url, width: width)
    // If the host has forbidden to keep it, clients must not keep it, either.
    let isKept = try await thumbnails.isCached(url, width: width)
    let etag = "\"\(SHA256.hash(data: data).prefix(16).map { String(format: "%02x", $0) }.joined())\""
    let headers: HTTPFields = [
        .eTag: etag, .cacheControl: isKept ? "no-cache" : "no-store",
        .contentType: contentType(of: data),
    ]
    let known = request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        .map { $0.trimmingCharacters(in: .whitespaces) }
    guard !known.contains(where: { $0 == "*" || $0 == etag || $0 == "W/\(etag)" }) else {
        return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
}

struct Stats: ResponseEncodable, Codable {
    let entries, bytes, hits, misses, evictions: Int64
    let hitRate: Double?
    /// The average number of seconds for which evicted entries had not been used.
    let unusedBeforeEviction: Double?

    init(_ usage: DiskStorage.Usage, _ statistics: DiskStorage.Statistics) {
        let counts = statistics.sinceOpening
        (entries, bytes) = (usage.total.entries, usage.total.bytes)
        (hits, misses, evictions, hitRate) = (counts.hits, counts.misses, counts.evictions, counts.hitRate)
        unusedBeforeEviction =
            counts.evictions > 0
            ? Double(counts.millisecondsUnusedBeforeEviction) / 1000 / Double(counts.evictions) : nil
    }
}
