internal import Foundation

package enum ProcessThreads {
    /// The number of threads of this process; 0 if the system does not tell.
    package static var count: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }
        return line.flatMap { Int($0.split(separator: "\t")[1]) } ?? 0
    }
}
