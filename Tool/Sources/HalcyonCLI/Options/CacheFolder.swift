internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The folder a command was pointed at, before anything is opened or made in it: a typing mistake must not leave a new
/// index behind, least of all among somebody's pictures.
struct CacheFolder {
    let path: String

    enum Content { case missing, file, nothing, strangers, cache }

    func content() throws -> Content {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .missing }
        guard isFolder.boolValue else { return .file }
        if hasIndex { return .cache }
        return try contentOfFolderWithoutIndex()
    }

    var hasIndex: Bool { FileManager.default.fileExists(atPath: indexPath) }

    private var indexPath: String { path + "/.halcyon/index.sqlite" }

    /// Bytes of the index's file.
    var indexBytes: Int64 { Self.size(of: indexPath) }

    /// Bytes of the write-ahead log, which comes and goes.
    var logBytes: Int64 { Self.size(of: indexPath + "-wal") }

    /// Only shown: missing is empty.
    private static func size(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// A folder that Kingfisher wrote has blobs and no index.
    private func contentOfFolderWithoutIndex() throws -> Content {
        var content = Content.nothing
        do {
            try DiskStorage.forEachName(in: path) { name in
                content = BlobName.isBlobOrLegacyName(name, isHashed: true) ? .cache : .strangers
                return content == .strangers
            }
        } catch {
            throw Failure("Cannot look into the folder \(path): \(error). Give this user permission to read it.")
        }
        return content
    }

    /// Throws unless a command can work here.
    func require(_ purpose: CacheOptions.Purpose) throws {
        switch (try content(), purpose) {
        case (.cache, _), (.missing, .filling), (.nothing, .filling): return
        case (.file, _): throw Failure("\(path) is a file. Give the folder of a cache with --folder.")
        case (.missing, _):
            throw Failure("There is no cache at \(path). Check --folder or --name, or make one with ‘halcyon put’.")
        case (.nothing, _), (.strangers, .using), (.strangers, .reading):
            throw Failure(
                "The folder \(path) is no cache: it has neither .halcyon/index.sqlite nor blobs in it. "
                    + "Give the folder that holds the blobs.")
        case (.strangers, .filling):
            throw Failure(
                "The folder \(path) holds other files and is no cache. Give --folder a new or an empty folder.")
        }
    }
}
