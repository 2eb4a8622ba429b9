import Dispatch
import Foundation

/// Waits for something that another process does.
///
/// - Throws: ``Trouble`` after half a minute.
func wait(for what: String, until isTrue: () -> Bool) throws {
    let deadline = DispatchTime.now() + 30
    while !isTrue() {
        guard DispatchTime.now() < deadline else { throw Trouble("timed out waiting for \(what)") }
        usleep(500)
    }
}

func sleep(until moment: DispatchTime) {
    let now = DispatchTime.now()
    guard moment > now else { return }
    Thread.sleep(forTimeInterval: Double(moment.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9)
}
