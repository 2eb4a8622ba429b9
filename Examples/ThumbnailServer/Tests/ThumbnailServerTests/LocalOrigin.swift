import Foundation
import HTTPTypes
import Halcyon
import Hummingbird
import NIOCore

/// An image host in this process. It counts its requests, and runs until you kill it or the process ends.
final class LocalOrigin: Sendable {
    /// Requests by path, and those whose client disconnected.
    actor Counts {
        private(set) var requests: [String: Int] = [:]
        private(set) var notModified = 0
        private(set) var abandoned = 0
        private(set) var refusal: HTTPResponse.Status?

        func count(_ path: String) { requests[path, default: 0] += 1 }
        func countNotModified() { notModified += 1 }
        func countAbandoned() { abandoned += 1 }
        /// From now on there are no images.
        func takeDown(as status: HTTPResponse.Status = .gone) { refusal = status }
    }

    let counts = Counts()
    let port: Int
    private let task: Task<Void, any Error>

    /// - Parameter port: 0 for any free port.
    init(port: Int = 0) async throws {
        let (ports, running) = AsyncStream<Int>.makeStream()
        let app = Application(
            router: Self.routes(counts), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) })
        task = Task { try await app.run() }
        var iterator = ports.makeAsyncIterator()
        self.port = await iterator.next() ?? 0
    }

    /// Call this only while no client connects: cancelling a server that is accepting a connection is a crash in SwiftNIO
    /// (<https://github.com/apple/swift-nio/issues/2637>).
    func kill() async {
        task.cancel()
        _ = await task.result
    }

    /// `/fresh/N` is fresh for an hour, `/stale/N` is stale at once, `/soon/N` is fresh for a second and usable for another
    /// minute, and `/slow/N` never responds. `/stalls/N` ends in the middle of the body, and `/drips/N` sends a byte now and then.
    private static func routes(_ counts: Counts) -> Router<BasicRequestContext> {
        let router = Router()
        for (name, control) in [
            ("fresh", "max-age=3600"), ("stale", "max-age=0"), ("soon", "max-age=1, stale-while-revalidate=60"),
            ("secret", "no-store"),
        ] {
            router.get("\(name)/:number") { request, context in
                await counts.count(request.uri.path)
                if let refusal = await counts.refusal { throw HTTPError(refusal) }
                // Delays the response, so that concurrent requests overlap.
                try await Task.sleep(for: .milliseconds(50))
                let etag = "\"\(name)\""
                guard request.headers[.ifNoneMatch] != etag else {
                    await counts.countNotModified()
                    return Response(status: .notModified, headers: [.cacheControl: control, .eTag: etag])
                }
                let data = picture(try context.parameters.require("number", as: Int.self))
                return Response(
                    status: .ok, headers: [.cacheControl: control, .eTag: etag, .contentType: "image/jpeg"],
                    body: .init(byteBuffer: ByteBuffer(bytes: data)))
            }
        }
        router.get("slow/:number") { request, _ in
            await counts.count(request.uri.path)
            do {
                return try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await Task.sleep(for: .seconds(3_600))
                    return ""
                }
            } catch {
                await counts.countAbandoned()
                throw error
            }
        }
        for (name, pause) in [("stalls", Duration.seconds(3_600)), ("drips", .milliseconds(50))] {
            router.get("\(name)/:number") { request, _ in
                await counts.count(request.uri.path)
                return Response(
                    status: .ok,
                    body: .init { writer in
                        while true {
                            try await writer.write(ByteBuffer(bytes: [0]))
                            try await Task.sleep(for: pause)
                        }
                    })
            }
        }
        router.get("text/:number") { _, _ in "no picture" }
        router.get("elsewhere/:number") { _, _ in
            Response(status: .found, headers: [.location: "http://127.0.0.2:1/fresh/1"])
        }
        return router
    }

    /// 320 × 240 pixels in a unique color, with a pattern that compresses poorly.
    static func picture(_ number: Int) -> Data {
        let (width, height) = (320, 240)
        var rgba = [UInt8](repeating: 255, count: width * height * 4)
        for pixel in 0..<(width * height) {
            rgba[pixel * 4] = UInt8(truncatingIfNeeded: number &* 37)
            rgba[pixel * 4 + 1] = UInt8(truncatingIfNeeded: pixel % width)
            rgba[pixel * 4 + 2] = UInt8(truncatingIfNeeded: pixel / width &* (number + 1))
        }
        return HalcyonImage(rgba: rgba, width: width, height: height)?.jpegData(compressionQuality: 0.9) ?? Data()
    }
}
