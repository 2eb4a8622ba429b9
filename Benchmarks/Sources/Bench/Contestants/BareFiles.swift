import Foundation

/// The physical limit: only the system calls that an effect requires.
///
/// Any failure ends the run, because a limit that did less work would be wrong.
struct BareFiles: Sendable {
    let folder: URL

    init(folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
    }

    func path(_ name: String) -> [CChar] { Array("\(folder.path)/\(name)".utf8CString) }

    /// create + write + close + rename, over the old file if there is one.
    ///
    /// - Parameter staged: the path until then; each thread has its own.
    static func store(_ data: Data, at path: [CChar], staged: [CChar]) {
        let file = open(staged, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        let count = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        require(file >= 0 && count == data.count && close(file) == 0 && rename(staged, path) == 0)
    }

    /// open + fstat + read + close.
    static func load(_ path: [CChar]) {
        var status = stat()
        let file = open(path, O_RDONLY)
        require(file >= 0 && fstat(file, &status) == 0)
        let count = Int(status.st_size)
        let memory = malloc(count)
        require(read(file, memory, count) == count && close(file) == 0)
        free(memory)
    }

    /// The same, and returns the bytes.
    static func contents(_ path: [CChar]) -> Data {
        var status = stat()
        let file = open(path, O_RDONLY)
        require(file >= 0 && fstat(file, &status) == 0)
        var data = Data(count: Int(status.st_size))
        let count = data.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        require(count == data.count && close(file) == 0)
        return data
    }

    /// stat.
    @discardableResult
    static func exists(_ path: [CChar]) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    static func remove(_ path: [CChar]) { require(unlink(path) == 0) }

    /// scan + stat: the cost of a total that nothing maintains.
    func totalSize() -> Int {
        var total = 0
        forEachName { name in
            var status = stat()
            if lstat(path(name), &status) == 0 { total += Int(status.st_size) }
        }
        return total
    }

    /// scan.
    func count() -> Int {
        var count = 0
        forEachName { _ in count += 1 }
        return count
    }

    func names() -> [String] {
        var names: [String] = []
        forEachName { names.append($0) }
        return names
    }

    private func forEachName(_ body: (String) -> Void) {
        guard let directory = opendir(folder.path) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { body(name) }
        }
    }
}
