/// A moment that no clock can move: which boot of the machine it was in, counted by the index, and the milliseconds since that boot in
/// which the machine was awake.
package struct BootTime: Comparable, Sendable {
    var boot: Int64
    var uptime: Int64

    package static func < (left: BootTime, right: BootTime) -> Bool {
        (left.boot, left.uptime) < (right.boot, right.uptime)
    }
}
