internal import Foundation

/// Tells one boot of the machine from the next: what was not yet written when the machine stopped is lost, and only then.
enum BootIdentifier {
    /// nil where the system has none; then every open counts as the same boot.
    static let current: String? = read()

    #if canImport(Darwin)
        private static func read() -> String? {
            var size = 0
            guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
            var text = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    #else
        private static func read() -> String? {
            // By hand: Foundation takes longer for it than the rest of an opening does. A container or a chroot may have no /proc.
            let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var text = [UInt8](repeating: 0, count: 64)
            let count = Foundation.read(file, &text, text.count)
            guard count > 0 else { return nil }
            return String(decoding: text.prefix(count).filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        }
    #endif
}
