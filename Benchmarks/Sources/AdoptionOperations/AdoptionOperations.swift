import Foundation
import Halcyon

/// Adopts a folder that Kingfisher wrote, and measures the time until the first answer and until all files are adopted, compared with
/// listing and `stat`ing the files.
///
///     swift run -c release --package-path Benchmarks AdoptionOperations [FILES] [PARENT FOLDER]
@main
enum AdoptionOperations {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let count = arguments.first.flatMap { Int($0) } ?? 100_000
        let parent = arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
        print("| files | list and stat, µs/file | adoption, µs/file | beyond that | first answer, ms | growth, MB |")
        print("|---|---|---|---|---|---|")
        for _ in 0..<3 { try Round(count: count, parent: parent ?? FileManager.default.temporaryDirectory).run() }
    }
}

/// One folder, from nothing.
struct Round {
    private let count: Int
    private let folder: URL

    init(count: Int, parent: URL) {
        self.count = count
        folder = parent.appendingPathComponent("halcyon-adoption-\(UUID().uuidString)")
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeFiles()
        // The files of a real cache are old; otherwise the index's first write would wait for the disk to write all of them.
        sync()
        // Brings the folder into the system's cache, for both.
        _ = listAndStat()
        let bare = listAndStat()
        let memory = residentMegabytes()
        var config = DiskStorage.Config(name: "adoption", sizeLimit: 0)
        config.cachePathBlock = { [folder] _, _ in folder }
        let begin = ContinuousClock.now
        let storage = try DiskStorage.Backend<Data>(config: config)
        let isFound = try storage.value(forKey: "\(count / 2)") != nil
        let answered = ContinuousClock.now
        precondition(isFound)
        // Waits for the adoption that has begun in the background.
        let total = try storage.totalSize()
        let done = ContinuousClock.now
        precondition(total == UInt(count * 16))
        let adoption = microseconds(done - begin) / Double(count)
        print(
            "| \(count) | \(text(bare)) | \(text(adoption)) | \(text(adoption - bare)) | "
                + "\(text(microseconds(answered - begin) / 1000)) | \(text(residentMegabytes() - memory)) |")
    }

    private func makeFiles() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let bytes = [UInt8](repeating: 7, count: 16)
        // The folder of another cache, only for its names.
        let other = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-names-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: other) }
        let names = try DiskStorage.Backend<Data>(config: .init(name: "names", sizeLimit: 0, directory: other))
        for seed in 0..<count {
            let name = names.cacheFileURL(forKey: "\(seed)").lastPathComponent
            let file = open("\(folder.path)/\(name)", O_WRONLY | O_CREAT | O_EXCL, 0o644)
            precondition(file >= 0 && write(file, bytes, 16) == 16)
            close(file)
        }
    }

    /// Microseconds per file.
    private func listAndStat() -> Double {
        let begin = ContinuousClock.now
        guard let directory = opendir(folder.path) else { return 0 }
        var seen = 0
        while let entry = readdir(directory) {
            let isFile = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    var status = stat()
                    return lstat("\(folder.path)/\(String(cString: name))", &status) == 0 && status.st_size == 16
                }
            }
            if isFile { seen += 1 }
        }
        closedir(directory)
        precondition(seen >= count)
        return microseconds(ContinuousClock.now - begin) / Double(count)
    }

    private func microseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
    }

    private func residentMegabytes() -> Double {
        // Of this process; see proc(5).
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * 4096 / 1e6
    }

    private func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
