import BenchReport
import Foundation

/// A new folder on a disk or in memory for all files. The supervisor of the run deletes it.
struct Volume {
    let folder: URL
    let kind: VolumeKind

    /// The tmpfs of Linux.
    static let tmpfs = URL(fileURLWithPath: "/dev/shm")

    init(parent: URL, session: String) throws {
        folder = Supervisor.folder(in: parent, session: session)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        kind = Self.isTmpfs(folder) ? .tmpfs : .disk
    }

    var name: String { kind.rawValue }

    /// Each file takes a block of 4 KiB and the file system's metadata.
    func hasRoom(forFiles count: Int) -> Bool { hasRoom(forBytes: count * 6_000) }

    /// Leaves room for others.
    func hasRoom(forBytes need: Int) -> Bool {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return false }
        let room = Int(status.f_bavail) * Int(status.f_frsize)
        return need < room / 2 && (kind == .disk || need < Memory.available / 2)
    }

    /// By the innermost mount above the folder.
    static func isTmpfs(_ folder: URL) -> Bool {
        let path = folder.resolvingSymlinksInPath().path
        // Without this list there is no tmpfs either.
        let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        let fields = mounts.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 2 }
        let above = fields.filter { path == $0[1] || $0[1] == "/" || path.hasPrefix("\($0[1])/") }
        return above.max { $0[1].count < $1[1].count }?[2] == "tmpfs"
    }
}
