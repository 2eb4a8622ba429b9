import Foundation

/// The folder of a run, with caches and the logs of all processes. It is kept after a violation.
final class Workplace {
    let url: URL
    private var lastWorker = 0

    init(url: URL) throws {
        self.url = url
        for folder in [url, url.appendingPathComponent("logs")] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    /// A number that no process of this run has used.
    func nextWorker() -> Int {
        lastWorker += 1
        return lastWorker
    }

    func logPath(of worker: Int) -> String { url.appendingPathComponent("logs/\(worker).log").path }

    /// The parent of a cache's folder.
    func folder(named name: String) -> URL { url.appendingPathComponent(name, isDirectory: true) }

    func remove(_ folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        try FileManager.default.removeItem(at: folder)
    }

    /// Deletes what was judged and had no violations.
    func removeLogs() throws {
        let logs = url.appendingPathComponent("logs")
        for name in try FileManager.default.contentsOfDirectory(atPath: logs.path) {
            try FileManager.default.removeItem(at: logs.appendingPathComponent(name))
        }
    }
}
