internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The folder passed to a command, checked before anything is opened or created in it: a typo must not create an index, least of
/// all in a user's photo folder.
struct CacheFolder {
    let path: String
    /// Whether any file may be a blob.
    var hasUnhashedNames = false

    enum Content { case missing, file, nothing, foreignFiles, cache }

    func content() throws -> Content {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            guard access(path, F_OK) != 0, errno == EACCES else { return .missing }
            throw Failure("Cannot read the directory \(path): permission denied. Run this as the user of the cache.")
        }
        guard isFolder.boolValue else { return .file }
        if hasIndex { return .cache }
        return try contentOfFolderWithoutIndex()
    }

    var hasIndex: Bool { FileManager.default.fileExists(atPath: indexPath) }

    private var indexPath: String { path + "/.halcyon/index.sqlite" }

    /// Size of the index file in bytes.
    var indexBytes: Int64 { Self.size(of: indexPath) }

    /// Size of the write-ahead log in bytes. The log does not always exist.
    var logBytes: Int64 { Self.size(of: indexPath + "-wal") }

    /// For display only: a missing file counts as empty.
    private static func size(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// A folder written by Kingfisher has blobs and no index. In a folder of other files, some may be named by their hash.
    private func contentOfFolderWithoutIndex() throws -> Content {
        var (blobs, others) = (0, 0)
        do {
            try DiskStorage.forEachName(in: path) { name in
                // Alone, it is what a process leaves that ends while it creates the cache, or another one has just begun to.
                if name == ".halcyon" { return true }
                if BlobName.isBlobOrLegacyName(name, isHashed: true) { blobs += 1 } else { others += 1 }
                return true
            }
        } catch {
            throw Failure("Cannot read the directory \(path): \(error). Give your user permission to read it.")
        }
        if blobs + others == 0 { return .nothing }
        if hasUnhashedNames, (path as NSString).lastPathComponent.hasPrefix("com.onevcat.Kingfisher.ImageCache.") {
            return .cache
        }
        return blobs > others ? .cache : .foreignFiles
    }

    /// Throws if an output would replace a blob or the index.
    static func require(_ output: String?, outside folder: URL) throws {
        guard let output, output != "-" else { return }
        let target = FilePath.target(of: output)
        // The file may not exist.
        let resolved = [target, FilePath.folder(of: target)].compactMap(FilePath.resolved)
        guard let folder = FilePath.resolved(folder.path),
            resolved.contains(where: { FilePath.isResolved($0, in: folder) })
        else { return }
        throw Failure("\(output) is in the directory of the cache. Give a path elsewhere.")
    }

    /// Throws if a command cannot work here.
    func require(_ purpose: CacheOptions.Purpose) throws {
        switch (try content(), purpose) {
        case (.cache, _), (.missing, .filling), (.nothing, .filling): return
        case (.file, _): throw Failure("\(path) is a file. Pass the directory of a cache to --folder.")
        case (.missing, _):
            throw Failure(
                "There is no cache at \(path). Check --folder or --name, or create a cache with "
                    + "‘halcyon put’.")
        case (.nothing, _), (.foreignFiles, .using), (.foreignFiles, .reading):
            throw Failure(
                "\(path) is not a cache: it contains neither .halcyon/index.sqlite nor blobs. "
                    + "Pass the directory that contains the blobs.")
        case (.foreignFiles, .filling):
            throw Failure(
                "\(path) is not a cache: it contains other files. Pass a new or an empty directory to --folder.")
        }
    }
}
