#if os(Linux)
    import Foundation

    package let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// What the process, with all tests that run beside this one, has used at most, as the system counts it.
    package struct PeakMemory {
        private let start: Int

        package init() throws { start = try Self.inBytes() }

        /// Of a process in which nothing else runs: what it used earlier is forgotten.
        package init(forgettingEarlierPeaks: Void) throws {
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            try self.init()
        }

        /// Always true under a sanitizer: the one for addresses keeps hundreds of megabytes that were freed, to see who
        /// still uses them, and the one for threads takes a multiple for its notes.
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
