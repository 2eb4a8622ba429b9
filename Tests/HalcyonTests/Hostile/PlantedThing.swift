import Foundation

/// Things that another user may plant where the cache has a file or a directory.
enum PlantedThing: String, CaseIterable, Sendable {
    case linkToFile, linkToFolder, danglingLink, linkToItself, hardLink, pipe, socket, device, emptyFolder, filledFolder

    /// Whether it makes outside files readable as if they were the cache's own.
    var sharesAFile: Bool { self == .hardLink }

    /// Plants it, and replaces what is there.
    ///
    /// - Returns: false if this machine or this user cannot create one.
    func plant(at url: URL, _ canary: Canary) throws -> Bool {
        try? FileManager.default.removeItem(at: url)
        let path = url.path
        switch self {
        case .linkToFile: return symlink(canary.file.path, path) == 0
        case .linkToFolder: return symlink(canary.root.path, path) == 0
        case .danglingLink: return symlink(canary.root.appendingPathComponent("made").path, path) == 0
        case .linkToItself: return symlink(url.lastPathComponent, path) == 0
        case .hardLink:
            return link(url.lastPathComponent.contains("sqlite") ? canary.database.path : canary.file.path, path) == 0
        case .pipe: return mkfifo(path, 0o600) == 0
        case .socket: return try makeSocket(at: path)
        // The null device, which only root can create.
        case .device: return mknod(path, S_IFCHR | 0o600, 0x0103) == 0
        case .emptyFolder: return mkdir(path, 0o700) == 0
        case .filledFolder:
            // Created next to its final place, so that no process sees it empty.
            let beside = canary.root.appendingPathExtension("beside")
            try FileManager.default.createDirectory(at: beside, withIntermediateDirectories: false)
            try Data("precious".utf8).write(to: beside.appendingPathComponent("1.2"))
            return rename(beside.path, path) == 0
        }
    }

    /// The path of a socket has to be short: on Linux, the open folder's path in `/proc` is.
    private func makeSocket(at path: String) throws -> Bool {
        #if canImport(Darwin)
            let short = "/tmp/halcyon-\(UInt32.random(in: 0 ... .max))"
            let file = Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let url = URL(fileURLWithPath: path)
            let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
            guard folder >= 0 else { return false }
            defer { close(folder) }
            let short = "/proc/self/fd/\(folder)/\(url.lastPathComponent)"
            let file = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard file >= 0 else { return false }
        defer { close(file) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard short.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        #if canImport(Darwin)
            return isBound && rename(short, path) == 0
        #else
            return isBound
        #endif
    }
}

/// The place of a planted thing.
enum PlantedPlace: String, CaseIterable, Sendable {
    case blob, stagedFile, stagedStranger, trashedFile, trashedStranger, metadataFolder, stagingFolder, trashFolder,
        index,
        log, sharedMemory, journal, damagedIndex, newerIndex

    /// - Parameters:
    ///   - blob: where the blob of the entry is.
    ///   - detached: the name that it has in our folders.
    func url(blob: URL, detached: String) -> URL {
        let metadata = blob.deletingLastPathComponent().appendingPathComponent(".halcyon")
        let path =
            switch self {
            case .blob: blob.lastPathComponent
            case .stagedFile: "staging/\(detached)"
            case .stagedStranger: "staging/notes"
            case .trashedFile: "trash/\(detached)"
            case .trashedStranger: "trash/notes"
            case .metadataFolder: ""
            case .stagingFolder: "staging"
            case .trashFolder: "trash"
            case .index: "index.sqlite"
            case .log: "index.sqlite-wal"
            case .sharedMemory: "index.sqlite-shm"
            case .journal: "index.sqlite-journal"
            case .damagedIndex: "index.sqlite.damaged"
            case .newerIndex: "index.sqlite.newer"
            }
        return self == .blob ? blob : path.isEmpty ? metadata : metadata.appendingPathComponent(path)
    }
}
