import Foundation
import HTTPTypes
import Halcyon
import Hummingbird
import Metrics
import NIOPosix

/// Thumbnails, read from the cache or made once for all concurrent requests.
struct Thumbnails: Sendable {
    let storage: DiskStorage.Backend<Data>
    let origin: Origin
    /// How long a thumbnail may take to make.
    let patience: Duration
    /// Bounds the bytes in memory: limits the originals at a time and the requests that wait.
    private let slots = Slots(8, waiting: 256)
    private let decodes = Counter(label: "thumbnails.decodes")

    init(storage: DiskStorage.Backend<Data>, origin: Origin, patience: Duration) {
        (self.storage, self.origin, self.patience) = (storage, origin, patience)
    }

    /// A URL contains no space, so no prefix matches the keys of another URL.
    private static func prefix(of url: URL) -> String { url.absoluteString + " " }

    private static func key(of url: URL, _ width: Int) -> String { "\(prefix(of: url))\(width)" }

    /// Answers of a host that works: an old thumbnail must not be used instead.
    private static let final: [HTTPResponse.Status] = [.notFound, .contentTooLarge, .unsupportedMediaType]

    /// Counts as neither a hit nor a miss.
    func isCached(_ url: URL, width: Int) async throws -> Bool {
        try await storage.async.isCached(forKey: Self.key(of: url, width))
    }

    /// The thumbnail's file. Concurrent requests share one download and one decoding; a stale thumbnail is revalidated.
    func thumbnail(of url: URL, width: Int) async throws -> Data {
        try await storage.async.value(forKey: Self.key(of: url, width)) {
            try await bounded { try await made(from: try await origin.get(url), width: width) }
        } renewing: { stale in
            // While the old one may be used, no client waits for the new one. Clients of other hosts may wait for its slot.
            let isAwaited = stale.info.validators?.isUsable() != true
            do {
                return try await bounded(waits: isAwaited) {
                    let answer = try await origin.get(url, unlike: stale.info.validators)
                    if answer.response.statusCode == 304 { return .unchanged(answer.response) }
                    return .new(try await made(from: answer, width: width))
                }
            } catch let error as HTTPError where Self.final.contains(error.status) {
                // The host has taken the image down, no longer gives it to everyone, or has something else there.
                return .gone(error)
            }
        }
    }

    /// - Returns: the number of thumbnails removed.
    func remove(allOf url: URL) async throws -> Int {
        try await storage.async.perform { try $0.removeEntries(matching: .init(keyPrefix: Self.prefix(of: url))).count }
    }

    /// - Throws: ``HTTPError``: 503 if too many wait, 504 if it takes too long.
    private func bounded<Result: Sendable>(
        waits: Bool = true, _ make: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            return try await within(patience) { try await slots.run(waits: waits, make) }
        } catch is Slots.AllTaken {
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "5"], message: "too many requests are waiting")
        } catch is DeadlinePassed {
            throw HTTPError(.gatewayTimeout, message: "the host is too slow")
        }
    }

    private func made(from answer: Origin.Answer, width: Int) async throws -> DiskStorage.NewValue<Data> {
        // Decodes at most one image per thread of the pool, which limits memory.
        let thumbnail = try await NIOThreadPool.singleton.runIfActive {
            decodes.increment()
            return Self.thumbnail(of: answer.data, width: width)
        }
        guard let thumbnail else {
            throw HTTPError(
                .unsupportedMediaType,
                message: "the file is not a PNG, JPEG, GIF or WebP, or "
                    + "it is too large")
        }
        // A value that must not be stored expires at once.
        return .init(
            thumbnail, expiration: answer.response.isStorable ? nil : .expired,
            attributes: .init(validators: .init(answer.response)))
    }

    private static func thumbnail(of data: Data, width: Int) -> Data? {
        let image = KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(
            data: data, to: CGSize(width: width, height: width), scale: 1)
        // A photo as PNG would be several times as large.
        if data.kf.isWebP { return image?.kf.webpRepresentation(compressionQuality: 0.8) }
        return data.kf.imageFormat == .JPEG
            ? image?.kf.jpegRepresentation(compressionQuality: 0.8) : image?.kf.pngRepresentation()
    }
}
