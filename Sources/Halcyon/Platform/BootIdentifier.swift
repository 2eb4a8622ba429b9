internal import Foundation

/// Identifies a boot of the machine. Unwritten data is lost when the machine stops, and only then.
enum BootIdentifier {
    static let current = identifier(session: session(), startTime: startTime(), unknown: UUID().uuidString)

    /// The system's identifier of the boot and the time it began, because a sandbox may hide the identifier. If neither is known,
    /// a unique value: then each process assumes a restart, and checks more than necessary.
    ///
    /// - Parameter startTime: seconds since 1970.
    static func identifier(session: String?, startTime: Int64?, unknown: String) -> String {
        let parts = (session ?? "") + (startTime.map { "\(separator)\($0)" } ?? "")
        return parts.isEmpty ? "unknown \(unknown)" : parts
    }

    /// Whether two identifiers are of the same boot, judging by the parts that both have.
    ///
    /// The start time is the time of day minus the uptime, so clock corrections move it slightly. Setting the clock makes it a
    /// different boot.
    static func isSame(_ left: String, _ right: String) -> Bool {
        if left == right { return true }
        let (left, right) = (parts(of: left), parts(of: right))
        if !left.session.isEmpty, !right.session.isEmpty { return left.session == right.session }
        guard let first = left.startTime, let second = right.startTime else { return false }
        let (difference, isOverflow) = first.subtractingReportingOverflow(second)
        return !isOverflow && difference.magnitude <= 30
    }

    private static let separator = " began at "

    private static func parts(of identifier: String) -> (session: String, startTime: Int64?) {
        guard let range = identifier.range(of: separator) else { return (identifier, nil) }
        return (String(identifier[..<range.lowerBound]), Int64(identifier[range.upperBound...]))
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
        /// nil if another file is mounted over the kernel's: LXC and systemd-nspawn do that, with a new identifier for each start of a
        /// container. A container or chroot may lack /proc.
        static func session(
            at path: String = "/proc/sys/kernel/random/boot_id", in folder: String = "/proc/sys/kernel"
        ) -> String? {
            // Uses system calls, because Foundation takes longer for this than the rest of opening a cache.
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var (mounted, kernel) = (stat(), stat())
            guard fstat(file, &mounted) == 0, stat(folder, &kernel) == 0, mounted.st_dev == kernel.st_dev else {
                return nil
            }
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
            return Int64(now.tv_sec) - Int64(uptime.tv_sec)
        }
    #endif
}
