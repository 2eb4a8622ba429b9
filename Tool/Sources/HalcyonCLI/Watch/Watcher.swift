internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Looks at a cache repeatedly.
struct Watcher {
    private let folder: String
    private var last: (snapshot: IndexSnapshot, at: DispatchTime)?
    private var hosts: [IndexSnapshot.Host]?
    private var nextHosts: DispatchTime?

    /// The number of entries and hosts to read: more than a tall window shows.
    private static let rows = 30
    private static let secondsBetweenHosts = 10.0
    /// Reading the hosts takes at most one part in this many of the time.
    private static let hostsShare = 50.0

    init(folder: String) { self.folder = folder }

    mutating func look() -> WatchLook {
        let begin = DispatchTime.now()
        let asksForHosts = nextHosts.map { begin >= $0 } ?? true
        let time = Timestamp(Date())
        do {
            guard
                let snapshot = try IndexSnapshot.read(at: folder, rows: Self.rows, hosts: asksForHosts ? Self.rows : 0)
            else {
                forget()
                return WatchLook(at: time, state: .missing)
            }
            if asksForHosts { note(snapshot.hosts, cost: DispatchTime.now().seconds(since: begin)) }
            defer { last = (snapshot, begin) }
            return WatchLook(at: time, state: .seen(snapshot), rates: rates(of: snapshot, at: begin), hosts: hosts)
        } catch {
            return WatchLook(at: time, state: .unreadable("\(error)"))
        }
    }

    /// Forgets the previous look, because another cache may replace this one.
    private mutating func forget() { (last, hosts, nextHosts) = (nil, nil, nil) }

    private mutating func note(_ hosts: [IndexSnapshot.Host]?, cost seconds: Double) {
        self.hosts = hosts
        nextHosts = .now() + max(Self.secondsBetweenHosts, seconds * Self.hostsShare)
    }

    private func rates(of snapshot: IndexSnapshot, at now: DispatchTime) -> WatchLook.Rates? {
        last.flatMap { last in
            WatchLook.Rates(from: last.snapshot, to: snapshot, seconds: now.seconds(since: last.at))
        }
    }
}

extension DispatchTime {
    /// 0 if `other` is later.
    fileprivate func seconds(since other: DispatchTime) -> Double {
        max(0, Double(uptimeNanoseconds) - Double(other.uptimeNanoseconds)) / 1e9
    }
}
