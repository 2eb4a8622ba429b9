import AsyncHTTPClient
import Foundation
import HTTPTypes
import Halcyon
import Hummingbird
import NIOCore
import NIOHTTP1

/// Downloads the original images, from allowed hosts only.
struct Origin: Sendable {
    let client: HTTPClient
    let allowedHosts: Set<AllowedHost>

    /// The maximum size of an image file in bytes.
    private static let byteLimit = 20_000_000

    /// The maximum length of a URL in bytes. Keys count towards no limit of the cache.
    private static let addressLimit = 2_000

    /// Statuses with which a host asks to try again later.
    private static let transient: Set<UInt> = [408, 425, 429]

    /// - Parameter patience: seconds; a host may be silent for half of that.
    static func clientConfiguration(patience: TimeInterval) -> HTTPClient.Configuration {
        // `read` also ends a response that stalls after its head. A redirect could lead to hosts that are not allowed.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .milliseconds(Int64(patience * 500))))
        // No retries: if the host refuses connections, clients get the old thumbnail at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// The URL as it is requested, so that a request has one key: without a fragment, which is not sent, without a default port, and
    /// with a path.
    ///
    /// - Throws: ``HTTPError`` with status 400, 403 or 414.
    func require(_ address: String) throws -> URL {
        guard address.utf8.count <= Self.addressLimit else {
            throw HTTPError(.uriTooLong, message: "url has more than \(Self.addressLimit) bytes")
        }
        guard var parts = URLComponents(string: address), let host = AllowedHost(parts), parts.user == nil else {
            throw HTTPError(.badRequest, message: "url is not the URL of an image")
        }
        guard allowedHosts.contains(host) else { throw HTTPError(.forbidden, message: "\(host.name) is not allowed") }
        parts.fragment = nil
        parts.scheme = parts.scheme?.lowercased()
        parts.host = host.name
        if parts.port == AllowedHost.defaultPort(of: parts.scheme) { parts.port = nil }
        if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
        guard let url = parts.url else { throw HTTPError(.badRequest, message: "url is not the URL of an image") }
        return url
    }

    struct Answer: Sendable {
        /// Empty with status 304.
        let data: Data
        let response: HTTPFreshness
    }

    /// - Parameter validators: those of the cached bytes; the result has status 304 if the bytes have not changed.
    /// - Throws: ``HTTPError``: 404 if the host gives no image, 413 if it is too large, 502 and 504 if it is down or overloaded.
    func get(_ url: URL, unlike validators: DiskStorage.HTTPValidators? = nil) async throws -> Answer {
        do {
            return try await download(url, unlike: validators)
        } catch let error as HTTPError {
            throw error
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge, message: "the file has more than \(Self.byteLimit) bytes")
        } catch let error as HTTPClientError where [.readTimeout, .connectTimeout, .deadlineExceeded].contains(error) {
            throw HTTPError(.gatewayTimeout, message: "the host is too slow")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw HTTPError(.badGateway, message: "the host does not answer")
        }
    }

    private func download(_ url: URL, unlike validators: DiskStorage.HTTPValidators?) async throws -> Answer {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.headers.add(name: "User-Agent", value: "ThumbnailServer")
        if let etag = validators?.etag { request.headers.add(name: "If-None-Match", value: etag) }
        if let date = validators?.lastModified { request.headers.add(name: "If-Modified-Since", value: date) }
        let requestedAt = Date()
        // A deadline here would end with the head of the response; the caller has one.
        let response = try await client.execute(request, deadline: .distantFuture)
        let freshness = HTTPFreshness(
            headers: response.headers.map { (name: $0.name, value: $0.value) },
            statusCode: Int(response.status.code), requestedAt: requestedAt, receivedAt: Date(), cache: .shared)
        switch response.status {
        case .ok:
            let body = try await response.body.collect(upTo: Self.byteLimit)
            return Answer(data: Data(body.readableBytesView), response: freshness)
        case .notModified where validators != nil: return Answer(data: Data(), response: freshness)
        // Redirects are not followed.
        case let status where (300..<500).contains(status.code) && !Self.transient.contains(status.code):
            throw HTTPError(.notFound, message: "the host answered \(status.code)")
        default: throw HTTPError(.badGateway, message: "the host answered \(response.status.code)")
        }
    }
}
