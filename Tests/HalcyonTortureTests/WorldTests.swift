import CHalcyonSQLite
import Foundation
import HalcyonTestSupport
import Testing

@testable import HalcyonTorture

/// The clocks and disks of workers.
@Suite struct WorldTests {
    @Test func `a clock change affects every process that has opened the cache`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("clock").path
        let (mine, other) = (try SharedClock(path: path), try SharedClock(path: path))
        #expect(other.offset == 0)
        for offset in [Int64(-300_000), 5_000, 0] {
            mine.offset = offset
            #expect(other.offset == offset)
        }
    }

    @Test func `a bad page fails some reads, and other pages none`() {
        var page = BadPage()
        #expect(page.verdict(on: "index", at: 0) == SQLITE_OK)
        page.plan(SQLITE_IOERR, after: 1, times: 2)
        let reads: [(path: String, offset: Int64)] = [
            ("index", 0), ("index", 4_096), ("index", 0), ("log", 4_096), ("index", 4_096), ("index", 4_096),
        ]
        let refused = reads.map { page.verdict(on: $0.path, at: $0.offset) != SQLITE_OK }
        #expect(refused == [false, true, false, false, true, false])
    }

    @Test func `a bad page stays bad until it has failed as often as planned`() {
        var page = BadPage()
        page.plan(SQLITE_IOERR, after: 0, times: 1)
        page.plan(SQLITE_CORRUPT, after: 0, times: 5)
        #expect(page.verdict(on: "index", at: 0) == SQLITE_IOERR)
        #expect(page.verdict(on: "index", at: 0) == SQLITE_OK)
    }

    @Test func `a worker's arguments contain its world`() throws {
        let world = World(clock: "/clock", boot: "one", hasBadDisk: true)
        let order = WorkerOrder(
            number: 1, folder: URL(fileURLWithPath: "/cache"), log: "/log", mix: .timeless, seed: 1, pinned: 1,
            loose: 2,
            countLimit: 0, operations: nil, freezeAtCommit: nil, world: world)
        let read = try #require(WorkerOrder(argument: try order.arguments[1]))
        #expect(read.world.clock == "/clock" && read.world.boot == "one" && read.world.hasBadDisk)
    }
}
