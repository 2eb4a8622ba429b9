internal import Foundation

/// How much memory this process may hope for.
enum SystemMemory {
    /// Bytes: the machine's, or what a container's control group leaves of it.
    static let byteCount: Int = min(
        Int(clamping: ProcessInfo.processInfo.physicalMemory), containerLimit(in: "/sys/fs/cgroup"))

    /// By the files of control groups, version 2 and then 1 (kernel documentation, admin-guide/cgroup-v2, "memory.max").
    static func containerLimit(in folder: String) -> Int {
        #if os(Linux)
            for file in ["memory.max", "memory/memory.limit_in_bytes"] {
                // No such file is no limit.
                guard let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) else { continue }
                return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)).flatMap { $0 > 0 ? $0 : nil } ?? .max
            }
        #endif
        return .max
    }
}
