import Foundation
import Halcyon

/// Compares the disk storage with the bare calls of the system for the same effect, in one run, taking turns.
///
/// Absolute times depend on the machine; the ratios are what counts.
@main
enum DiskOperations {
    static func main() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        print("| operation | Halcyon, µs | bare calls, µs | ratio |")
        print("|---|---|---|---|")
        for size in [4, 32, 256] {
            let bench = try Bench(folder: folder.appendingPathComponent("\(size)"), bytes: size * 1024)
            try bench.run()
        }
    }
}

/// One size of blobs.
struct Bench {
    private let storage: DiskStorage.Backend<Data>
    private let bare: BareFiles
    private let value: Data
    private let count = 2_000

    init(folder: URL, bytes: Int) throws {
        storage = try DiskStorage.Backend(config: .init(name: "bench", sizeLimit: 0, directory: folder))
        bare = try BareFiles(folder: folder.appendingPathComponent("bare"))
        value = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    }

    func run() throws {
        let size = "\(value.count / 1024) KiB"
        try compare("store new, \(size)") {
            try storage.store(value: value, forKey: key($0))
        } with: {
            bare.store(value, name: key($0))
        }
        try compare("overwrite, \(size)") {
            try storage.store(value: value, forKey: key($0))
        } with: {
            bare.store(value, name: key($0))
        }
        try compare("value, hit, \(size)") {
            _ = try storage.value(forKey: key($0))
        } with: {
            bare.load(key($0))
        }
        guard value.count == 4096 else { return }
        try compare("isCached, hit") {
            _ = storage.isCached(forKey: key($0))
        } with: {
            bare.exists(key($0))
        }
        try compare("isCached, miss") {
            _ = storage.isCached(forKey: "no" + key($0))
        } with: {
            bare.exists("no" + key($0))
        }
        try compare("totalSize") { _ in
            _ = try storage.totalSize()
        } with: { _ in
            bare.exists("")
        }
    }

    private func key(_ number: Int) -> String { "https://example.com/images/\(number * 7919 % count).png" }

    private func compare(_ name: String, _ ours: (Int) throws -> Void, with theirs: (Int) -> Void) throws {
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        for number in 0..<count {
            times.ours.append(try microseconds { try ours(number) })
            times.theirs.append(microseconds { theirs(number) })
        }
        let (our, their) = (median(times.ours), median(times.theirs))
        print("| \(name) | \(text(our)) | \(text(their)) | \(text(our / their)) |")
    }

    private func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let begin = DispatchTime.now().uptimeNanoseconds
        try body()
        return Double(DispatchTime.now().uptimeNanoseconds - begin) / 1000
    }

    private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    private func text(_ number: Double) -> String { String(format: "%.1f", number) }
}

/// The calls that cannot be saved: open, fstat, read, close; create, write, close, rename; stat.
struct BareFiles {
    private let folder: String

    init(folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path
    }

    private func path(_ name: String) -> String {
        folder + "/"
            + String(decoding: name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }

    func store(_ data: Data, name: String) {
        let file = open(path("staged"), O_WRONLY | O_CREAT | O_EXCL, 0o644)
        _ = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        rename(path("staged"), path(name))
    }

    func load(_ name: String) {
        let file = open(path(name), O_RDONLY)
        var status = stat()
        fstat(file, &status)
        let memory = malloc(Int(status.st_size))
        _ = read(file, memory, Int(status.st_size))
        close(file)
        free(memory)
    }

    func exists(_ name: String) {
        var status = stat()
        stat(path(name), &status)
    }
}
