import AsyncHTTPClient
import Foundation
import HTTPTypes
import Halcyon
import NIOCore
import Testing

/// The server with 64 clients, a host that dies, clients that disconnect, and SIGTERM.
@Suite(.serialized) struct LoadTests {
    private static let clients = 64

    private struct Setting {
        let origin: LocalOrigin
        let server: RunningServer
        let cache: URL
        let client: HTTPClient
    }

    private func withServer(
        megabytes: Int = 500, patience: Double = 20, _ body: (Setting) async throws -> Void
    ) async throws {
        let cache = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-test-\(UUID())")
        defer { try? FileManager.default.removeItem(at: cache) }
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 400
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let origin = try await LocalOrigin()
        do {
            let server = try await RunningServer(
                cache: cache, client: client, origin: origin, megabytes: megabytes, patience: patience)
            try await body(Setting(origin: origin, server: server, cache: cache, client: client))
            server.terminate()
            let status = await server.waitForEnd()
            #expect(status == 0)
        } catch {
            Issue.record(error)
        }
        try await client.shutdown()
    }

    /// The replies to 64 concurrent clients, which make `count` requests each.
    private func replies(
        each count: Int = 1,
        _ ask: @escaping @Sendable (_ client: Int, _ number: Int) async throws -> RunningServer.Reply
    ) async throws -> [RunningServer.Reply] {
        try await withThrowingTaskGroup(of: [RunningServer.Reply].self) { group in
            for client in 0..<Self.clients {
                group.addTask {
                    var replies: [RunningServer.Reply] = []
                    for number in 0..<count { replies.append(try await ask(client, number)) }
                    return replies
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test func `64 clients that request an uncached thumbnail cause one fetch and one decode`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            let replies = try await replies { _, _ in try await server.thumbnail("fresh/1", of: origin) }
            #expect(replies.allSatisfy { $0.status == 200 && $0 == replies[0] })
            let image = try #require(HalcyonImage(data: replies[0].body))
            #expect(image.size == CGSize(width: 64, height: 48))
            #expect(await origin.counts.requests == ["/fresh/1": 1])
            try await #expect(server.metric("thumbnails_decodes_total") == 1)

            // A client that comes after the store is a hit.
            let before = try await server.requests()
            #expect(before.hits + before.misses == Self.clients)

            // The cache is warm: nothing is downloaded, and a client with a current entity tag receives no bytes.
            let warm = try await self.replies(each: 20) { _, number in
                try await server.thumbnail(
                    "fresh/1", of: origin, etag: number.isMultiple(of: 2) ? replies[0].etag : nil)
            }
            #expect(warm.count { $0.status == 304 && $0.body.isEmpty } == 640)
            #expect(warm.count { $0 == replies[0] } == 640)
            #expect(await origin.counts.requests == ["/fresh/1": 1])
            let after = try await server.requests()
            #expect(after.hits - before.hits == 1_280 && after.misses == before.misses)
            try await #expect(
                server.metric("halcyon_requests_total{cache=\"thumbnails\",result=\"hit\"}") == after.hits)
            try await #expect(server.metric("halcyon_stores_total{cache=\"thumbnails\"}") == 1)
            try await #expect(server.metric("halcyon_entries{cache=\"thumbnails\"}") == 1)
        }
    }

    @Test func `cached thumbnails survive an unreachable host`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            let kinds = ["fresh", "stale", "soon"]
            var known: [String: RunningServer.Reply] = [:]
            for kind in kinds { known[kind] = try await server.thumbnail("\(kind)/1", of: origin) }
            #expect(known.values.allSatisfy { $0.status == 200 })
            // Revalidated, not downloaded again.
            try await #expect(server.thumbnail("stale/1", of: origin) == known["stale"])
            #expect(await origin.counts.notModified == 1)
            try await #expect(server.metric("thumbnails_decodes_total") == 3)
            await origin.kill()
            try await Task.sleep(for: .milliseconds(1_100))
            let replies = try await replies(each: 5) { client, _ in
                try await server.thumbnail("\(kinds[client % 3])/1", of: origin)
            }
            #expect(replies.count { known.values.contains($0) } == 320)
            try await #expect(server.thumbnail("fresh/2", of: origin).status == 502)
        }
    }

    @Test func `when the only waiting client disconnects, its fetch is cancelled`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            let client = Task { try await server.thumbnail("slow/1", of: origin) }
            for _ in 0..<500 where await origin.counts.requests.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            client.cancel()
            await #expect(throws: (any Error).self) { try await client.value }
            for _ in 0..<500 where await origin.counts.abandoned == 0 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(await origin.counts.requests == ["/slow/1": 1])
            #expect(await origin.counts.abandoned == 1)
            try await #expect(server.thumbnail("fresh/1", of: origin).status == 200)
        }
    }

    @Test func `no request fails during evictions, and the counts are correct`() async throws {
        try await withServer(megabytes: 1) { setting in
            let (server, origin) = (setting.server, setting.origin)
            // About 5 MB of thumbnails.
            let replies = try await replies(each: 10) { client, number in
                try await server.thumbnail("fresh/\(client * 10 + number)", of: origin, width: 320)
            }
            #expect(replies.allSatisfy { $0.status == 200 })
            // Wait for the next clean.
            for _ in 0..<500 where try await server.stats()["bytes"] as? Int ?? 0 >= 1_000_000 {
                try await Task.sleep(for: .milliseconds(20))
            }
            let stats = try await server.stats()
            let (entries, evictions) = (stats["entries"] as? Int ?? 0, stats["evictions"] as? Int ?? 0)
            #expect(evictions > 0 && entries + evictions == 640 && stats["misses"] as? Int == 640)
            #expect((stats["bytes"] as? Int ?? .max) < 1_000_000)
            try await #expect(
                server.metric("halcyon_removals_total{cache=\"thumbnails\",cause=\"eviction\"}") == evictions)
        }
    }

    @Test(arguments: [HTTPResponse.Status.gone, .forbidden])
    func `a picture that its host has deleted or refuses is removed from the cache`(_ status: HTTPResponse.Status)
        async throws
    {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            for kind in ["stale", "soon"] {
                try await #expect(server.thumbnail("\(kind)/1", of: origin).status == 200)
            }
            await origin.counts.takeDown(as: status)
            try await Task.sleep(for: .milliseconds(1_100))
            try await #expect(server.thumbnail("stale/1", of: origin).status == 404)
            // This one may be used while it is validated.
            try await #expect(server.thumbnail("soon/1", of: origin).status == 200)
            for _ in 0..<500 where try await server.stats()["entries"] as? Int != 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await #expect(server.thumbnail("soon/1", of: origin).status == 404)
            try await #expect(server.stats()["entries"] as? Int == 0)
        }
    }

    @Test func `a download that stalls times out`() async throws {
        try await withServer(patience: 1) { setting in
            let (server, origin) = (setting.server, setting.origin)
            for path in ["stalls/1", "drips/1"] {
                let replies = try await replies { _, _ in try await server.thumbnail(path, of: origin) }
                #expect(replies.allSatisfy { $0.status == 504 }, "\(path)")
                // The next request asks again.
                try await #expect(server.thumbnail(path, of: origin).status == 504)
                #expect(await origin.counts.requests["/\(path)"] ?? 0 >= 2)
            }
            // A slow machine may need more than a second for the first one.
            var status: UInt = 0
            for _ in 0..<20 where status != 200 { status = try await server.thumbnail("fresh/1", of: origin).status }
            #expect(status == 200)
        }
    }

    @Test func `requests beyond the queue limit are refused`() async throws {
        try await withServer(patience: 5) { setting in
            let (server, origin) = (setting.server, setting.origin)
            let statuses = try await withThrowingTaskGroup(of: UInt.self) { group in
                for number in 0..<300 {
                    group.addTask { try await server.thumbnail("slow/\(number)", of: origin).status }
                }
                return try await group.reduce(into: [UInt: Int]()) { $0[$1, default: 0] += 1 }
            }
            // 8 at a time, and 256 more that wait.
            #expect(statuses[503] ?? 0 > 0 && statuses[504] ?? 0 > 0 && Set(statuses.keys) == [503, 504])
        }
    }

    @Test func `addresses of one file share a key`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            for address in ["fresh/1", "fresh/1%23a", "fresh/1%23b"] {
                try await #expect(server.thumbnail(address, of: origin).status == 200)
            }
            let path = "thumb?url=HTTP://127.0.0.1:\(origin.port)/fresh/1%23c"
            try await #expect(server.get(path + "&w=64").status == 200)
            #expect(await origin.counts.requests == ["/fresh/1": 1])
            try await #expect(server.delete(path, token: "token").text == "removed 1\n")
        }
    }

    @Test func `HEAD is answered like GET, without the bytes`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            let path = "thumb?url=http://127.0.0.1:\(origin.port)/fresh/1&w=64"
            for isCached in [false, true] {
                let head = try await server.get(path, isHead: true)
                #expect(head.status == 200 && head.etag != nil && head.body.isEmpty, "cached: \(isCached)")
                try await #expect(server.get(path).etag == head.etag)
            }
            // The body of an error would be read as the beginning of the next response.
            let answers = try await server.send(
                "HEAD /thumb?w=64 HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "HEAD /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let lines = answers.components(separatedBy: "\r\n")
            #expect(lines.filter { $0.hasPrefix("HTTP/1.1 40") }.count == 2, "\(answers)")
            #expect(!answers.contains("{") && answers.hasSuffix("\r\n\r\n"), "\(answers)")
            #expect(await origin.counts.requests == ["/fresh/1": 1])
            let metrics = try await server.get("metrics").text.split(separator: "\n")
            let active = metrics.filter { $0.contains("active_requests") && $0.contains("\"HEAD\"") }
            #expect(!active.isEmpty && active.allSatisfy { $0.hasSuffix(" 0") || $0.hasSuffix(" 0.0") }, "\(active)")
        }
    }

    @Test func `a cache that cannot be used delays no thumbnail, and the metrics show it`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            // A directory in place of the index.
            let path = "com.onevcat.Kingfisher.ImageCache.thumbnails/.halcyon/index.sqlite/nothing"
            try FileManager.default.removeItem(at: setting.cache)
            try FileManager.default.createDirectory(
                at: setting.cache.appendingPathComponent(path), withIntermediateDirectories: true)
            let thumbnail = try await server.thumbnail("fresh/1", of: origin)
            #expect(thumbnail.status == 200 && thumbnail.cacheControl == "no-store")
            try await #expect(server.metric("halcyon_failures_total{cache=\"thumbnails\"}") ?? 0 > 0)
            try await #expect(server.get("stats").status == 503)
            let request = "thumb?url=http://127.0.0.1:\(origin.port)/fresh/1"
            try await #expect(server.delete(request, token: "token").status == 503)
        }
    }

    @Test(arguments: ["*.example.com", "*", "a.example.com,b.example.com", "a:0", "a:65536", "a:", "", "http://a"])
    func `a host that no address can have is refused`(host: String) throws {
        try #expect(RunningServer.exitStatus(of: ["--allow", host]) == 64)
    }

    @Test func `a delete with the token removes all variants of a picture`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            for width in [32, 64, 128] {
                try await #expect(server.thumbnail("fresh/1", of: origin, width: width).status == 200)
            }
            try await #expect(server.thumbnail("fresh/11", of: origin).status == 200)
            let path = "thumb?url=http://127.0.0.1:\(origin.port)/fresh/1"
            try await #expect(server.delete(path, token: "another").status == 401)
            try await #expect(server.delete(path, token: "token").text == "removed 3\n")
            try await #expect(server.stats()["entries"] as? Int == 1)
        }
    }

    @Test func `invalid requests get a plain error`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            try await #expect(server.get("thumb?url=http://example.com/a.png&w=64").status == 403)
            try await #expect(server.get("thumb?url=file:///etc/passwd&w=64").status == 400)
            try await #expect(server.get("thumb?w=64").status == 400)
            let long = String(repeating: "a", count: 2_000)
            try await #expect(server.get("thumb?url=http://127.0.0.1:\(origin.port)/\(long)&w=64").status == 414)
            for width in ["", "0", "15", "2049", "-1", "x", "99999999999999999999"] {
                try await #expect(
                    server.get("thumb?url=http://127.0.0.1:\(origin.port)/a&w=\(width)").status == 400)
            }
            // Another port of an allowed host.
            try await #expect(server.get("thumb?url=http://127.0.0.1:1/a&w=64").status == 403)
            try await #expect(server.get("thumb?url=http://127.0.0.1/a&w=64").status == 403)
            try await #expect(server.thumbnail("text/1", of: origin).status == 415)
            try await #expect(server.thumbnail("nothing/1", of: origin).status == 404)
            // A redirect to a host that is not allowed is not followed.
            try await #expect(server.thumbnail("elsewhere/1", of: origin).status == 404)
            // A response that must not be stored is not stored.
            let secret = try await server.thumbnail("secret/1", of: origin)
            #expect(secret.status == 200 && secret.cacheControl == "no-store")
            try await #expect(server.thumbnail("fresh/1", of: origin).cacheControl == "no-cache")
            try await #expect(server.thumbnail("fresh/1", of: origin).cacheControl == "no-cache")
            try await #expect(server.thumbnail("nothing/1", of: origin).cacheControl == "no-store")
            _ = try await server.delete("thumb?url=http://127.0.0.1:\(origin.port)/fresh/1", token: "token")
            try await #expect(server.stats()["entries"] as? Int == 0)
        }
    }

    @Test func `after SIGTERM under load, every acknowledged thumbnail is in the cache`() async throws {
        try await withServer { setting in
            let (server, origin) = (setting.server, setting.origin)
            let acknowledged = Acknowledged()
            let load = Task {
                try await replies(each: 50) { client, number in
                    let picture = "fresh/\(client * 50 + number)"
                    let reply = try await server.thumbnail(picture, of: origin)
                    if reply.status == 200 { await acknowledged.add(picture, reply.body) }
                    return reply
                }
            }
            for _ in 0..<6_000 where await acknowledged.bodies.count < 200 {
                try await Task.sleep(for: .milliseconds(10))
            }
            server.terminate()
            // Some requests were refused or cut off.
            _ = await load.result
            #expect(await server.waitForEnd() == 0)
            // From now on, a thumbnail that is not in the cache is not found.
            await origin.counts.takeDown()

            let bodies = await acknowledged.bodies
            #expect(bodies.count >= 200 && bodies.count < 3_200)
            let again = try await RunningServer(cache: setting.cache, client: setting.client, origin: origin)
            for (picture, body) in bodies {
                let reply = try await again.thumbnail(picture, of: origin)
                #expect(reply.status == 200 && reply.body == body, "\(picture)")
            }
            again.terminate()
            #expect(await again.waitForEnd() == 0)
        }
    }

    private actor Acknowledged {
        private(set) var bodies: [String: Data] = [:]

        func add(_ picture: String, _ body: Data) { bodies[picture] = body }
    }
}
