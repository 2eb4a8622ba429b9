/// A time that setting the clock cannot change: the number of the boot, which the index counts, and the milliseconds since that
/// boot, excluding sleep.
package struct BootTime: Comparable, Sendable {
    var boot: Int64
    var uptime: Int64

    package static func < (left: BootTime, right: BootTime) -> Bool {
        (left.boot, left.uptime) < (right.boot, right.uptime)
    }
}
