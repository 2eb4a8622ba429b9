import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonCLI
import Testing

@Suite struct `A look as text` {
    private let text = WatchText(folder: "/c", limit: nil, showsKeys: false)

    private func snapshot(hits: Int64, since: Timestamp? = InventedFigures.now) -> IndexSnapshot {
        var snapshot = IndexSnapshot()
        snapshot.totals = Totals(entries: 1_000_000, bytes: 363_000_000_000)
        snapshot.counts.hits = hits
        snapshot.since = since
        return snapshot
    }

    private func look(_ state: WatchLook.State) -> WatchLook { WatchLook(at: InventedFigures.now, state: state) }

    @Test func `rates appear after two readings of one cache`() throws {
        let later = InventedFigures.now.advanced(by: 1)
        let rates = try #require(WatchLook.Rates(from: snapshot(hits: 10), to: snapshot(hits: 35), seconds: 2))
        #expect(rates == WatchLook.Rates(hits: 12.5, misses: 0, stores: 0, evictions: 0))
        #expect(WatchLook.Rates(from: snapshot(hits: 10, since: nil), to: snapshot(hits: 11), seconds: 1)?.hits == 1)
        #expect(WatchLook.Rates(from: snapshot(hits: 10), to: snapshot(hits: 11, since: later), seconds: 1) == nil)
        #expect(WatchLook.Rates(from: snapshot(hits: 10), to: snapshot(hits: 9), seconds: 1) == nil)
        #expect(WatchLook.Rates(from: snapshot(hits: 10), to: snapshot(hits: 20), seconds: 0) == nil)
    }

    @Test func `control characters in keys and paths are escaped`() throws {
        let text = WatchText(folder: "/\u{1B}[2J", limit: nil, showsKeys: true)
        let folder = try TemporaryFolder()
        let storage = try DiskStorage.Backend<Data>(config: .init(name: "c", sizeLimit: 0, directory: folder.url))
        try storage.store(value: .blob(1), forKey: "a\n\u{1B}[2J\u{202E}b")
        var look = look(.seen(try #require(try IndexSnapshot.read(at: storage.directoryURL.path, rows: 1, hosts: 0))))
        look.hosts = [.init(name: "\u{1B}]0;x\u{7}", totals: Totals(entries: 1, bytes: 1))]
        let lines = text.lines(of: look, width: 200, height: 50)
        #expect(!lines.joined().contains("\u{1B}") && !lines.contains { $0.contains("\n") })
        #expect(lines.contains { $0.contains(#"a\n\u{1B}[2J\u{202E}b"#) })
    }

    @Test(arguments: [.max, 0, -1] as [Int64])
    func `any number can be shown`(number: Int64) {
        var seen = snapshot(hits: number)
        seen.totals = Totals(entries: number, bytes: number)
        (seen.counts.misses, seen.allocatedBytes) = (number, number)
        var look = look(.seen(seen))
        look.rates = WatchLook.Rates(hits: .infinity, misses: 0.04, stores: 1e300, evictions: 0)
        let text = WatchText(folder: "/c", limit: .max, showsKeys: false)
        #expect(!text.lines(of: look, width: 80, height: 24).isEmpty)
        #expect(look.object(limit: .max, showsKeys: true).compact.contains("\"hits\": null"))
    }

    @Test func `a window of one row has no room for the text`() {
        #expect(text.lines(of: look(.missing), width: 10, height: -1).isEmpty)
    }

    @Test(arguments: [0, 1, 5, 9, 24, 100])
    func `the text fits the height and width of the window`(size: Int) {
        for state in [WatchLook.State.missing, .unreadable("x\ny"), .seen(snapshot(hits: 5))] {
            let lines = text.lines(of: look(state), width: size, height: size)
            #expect(lines.count <= size && lines.allSatisfy { TextWidth.columns(of: $0) <= size })
        }
    }
}
