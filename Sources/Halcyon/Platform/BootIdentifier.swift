internal import Foundation

/// Tells one boot of the machine from the next: what was not yet written when the machine stopped is lost, and only then.
enum BootIdentifier {
    static let current: String = identifier(session: session(), startTime: startTime(), unknown: UUID().uuidString)

    /// What the system calls the boot; where a sandbox refuses that, when it began; and where nothing can be known, something that is like
    /// no other: then each process takes the machine for restarted, and checks more than it has to.
    ///
    /// - Parameter startTime: seconds since 1970. Setting the clock changes it, which is taken for another boot too.
    static func identifier(session: String?, startTime: Int64?, unknown: String) -> String {
        if let session, !session.isEmpty { return session }
        return startTime.map { "began at \($0)" } ?? "unknown \(unknown)"
    }

    #if canImport(Darwin)
        private static func session() -> String? {
            var size = 0
            guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
            var text = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }

        private static func startTime() -> Int64? {
            var time = timeval()
            var size = MemoryLayout<timeval>.size
            guard sysctlbyname("kern.boottime", &time, &size, nil, 0) == 0, time.tv_sec > 0 else { return nil }
            return Int64(time.tv_sec)
        }
    #else
        private static func session() -> String? {
            // By hand: Foundation takes longer for it than the rest of an opening does. A container or a chroot may have no /proc.
            let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var text = [UInt8](repeating: 0, count: 64)
            let count = Foundation.read(file, &text, text.count)
            guard count > 0 else { return nil }
            return String(decoding: text.prefix(count).filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        }

        private static func startTime() -> Int64? {
            var (now, uptime) = (timespec(), timespec())
            guard clock_gettime(CLOCK_REALTIME, &now) == 0, clock_gettime(CLOCK_BOOTTIME, &uptime) == 0 else {
                return nil
            }
            // The two are not read at one moment, and the clock is being corrected: to ten seconds.
            return (Int64(now.tv_sec) - Int64(uptime.tv_sec)) / 10 * 10
        }
    #endif
}
