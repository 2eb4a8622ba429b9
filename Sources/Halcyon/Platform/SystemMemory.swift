internal import Foundation

/// The amount of memory that this process may use.
enum SystemMemory {
    /// In bytes: the machine's memory, or the limit of a control group.
    static let byteCount: Int = min(
        Int(clamping: ProcessInfo.processInfo.physicalMemory),
        // A missing file, as on other systems, means no limit.
        groupLimit(of: (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? "", in: "/sys/fs/cgroup"))

    /// The smallest limit of a process's control groups and their ancestors, versions 1 and 2 (kernel documentation,
    /// admin-guide/cgroup-v2, "memory.max").
    ///
    /// - Parameter groups: lines of `number:controllers:path`. In a container the paths may be the host's. Then `folder` contains
    ///   only their root, which is the container's own group.
    static func groupLimit(of groups: String, in folder: String) -> Int {
        let lines = groups.split(separator: "\n").map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        let named = lines.flatMap { line -> [String] in
            guard line.count >= 3 else { return [] }
            let path = line[2...].joined(separator: ":")
            if line[1].isEmpty { return files("memory.max", upFrom: path, in: folder) }
            guard line[1].split(separator: ",").contains("memory") else { return [] }
            return files("memory.limit_in_bytes", upFrom: path, in: "\(folder)/memory")
        }
        let roots = ["\(folder)/memory.max", "\(folder)/memory/memory.limit_in_bytes"]
        return (named + roots).compactMap(limit).min() ?? .max
    }

    /// The paths of a file in a group's directory and in each of its ancestors.
    private static func files(_ name: String, upFrom path: String, in root: String) -> [String] {
        let parts = path.split(separator: "/")
        return (0...parts.count).map { ([root] + parts.prefix($0).map(String.init) + [name]).joined(separator: "/") }
    }

    /// Returns nil if the file does not exist, and for "max".
    private static func limit(in file: String) -> Int? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)).flatMap { $0 > 0 ? $0 : nil }
    }
}
