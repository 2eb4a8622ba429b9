import Foundation

/// Waits for something that another process does.
///
/// - Throws: ``Trouble`` after half a minute.
func wait(for what: String, until isTrue: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !isTrue() {
        guard ContinuousClock.now < deadline else { throw Trouble("waited in vain for \(what)") }
        usleep(500)
    }
}

func sleep(until moment: ContinuousClock.Instant) {
    let left = (moment - .now).components
    guard left.seconds >= 0, left.attoseconds > 0 || left.seconds > 0 else { return }
    Thread.sleep(forTimeInterval: Double(left.seconds) + Double(left.attoseconds) / 1e18)
}
