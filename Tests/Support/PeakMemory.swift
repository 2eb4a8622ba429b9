#if os(Linux)
    import Foundation

    package let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// The peak memory of the process, including all concurrent tests, as the system counts it.
    package struct PeakMemory {
        private let start: Int

        package init() throws { start = try Self.inBytes() }

        /// For a process in which nothing else runs: resets the peak first.
        package init(forgettingEarlierPeaks: Void) throws {
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            try self.init()
        }

        /// Always true under a sanitizer: the address sanitizer keeps hundreds of megabytes of freed memory to find later uses, and the
        /// thread sanitizer needs a multiple for its records.
        package func hasGrown(byLessThan limit: Int) throws -> Bool {
            try isSanitized || Self.inBytes() - start < limit
        }

        private static func inBytes() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            guard let kilobytes = line?.split(separator: " ").compactMap({ Int($0) }).first else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return kilobytes * 1_024
        }
    }
#endif
