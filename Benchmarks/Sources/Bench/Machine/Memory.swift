import Foundation

/// Figures of the kernel about memory and this process; 0 if it has none.
enum Memory {
    /// Bytes that are available without swapping.
    static var available: Int { bytes(of: "MemAvailable", in: "/proc/meminfo") }

    /// Anonymous resident bytes of this process: its heap and stacks, not the files it has mapped.
    static var anonymous: Int { bytes(of: "RssAnon", in: "/proc/self/status") }

    /// The most resident bytes since ``resetPeak()``.
    static var peak: Int { bytes(of: "VmHWM", in: "/proc/self/status") }

    static var resident: Int { bytes(of: "VmRSS", in: "/proc/self/status") }

    /// See proc(5), clear_refs.
    static func resetPeak() {
        // If it cannot be reset, the peak is that of the whole run, which is too high rather than too low.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// Bytes that this process has passed to `write` and similar calls so far, without writes to mapped memory.
    static var written: Int { transferred("wchar") }

    /// Bytes that `read` and similar calls have returned to this process so far.
    static var read: Int { transferred("rchar") }

    private static func transferred(_ name: String) -> Int {
        let lines = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("\(name): ") }.flatMap { Int($0.dropFirst(name.count + 2)) } ?? 0
    }

    private static func bytes(of name: String, in file: String) -> Int {
        let lines = (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n") ?? []
        let words = lines.first { $0.hasPrefix("\(name):") }?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 1_024 : 0
    }
}
