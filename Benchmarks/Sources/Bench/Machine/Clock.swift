import Foundation

/// Microseconds that `body` takes, by the monotonic clock.
func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let begin = now()
    try body()
    return now() - begin
}

/// Microseconds since some moment.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}
