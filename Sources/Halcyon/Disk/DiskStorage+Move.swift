public import Foundation

extension DiskStorage {
    /// Takes a whole cache, blobs and index, to another folder: to an app group's container, say, or from an old place to a
    /// new one. Call it before the new folder is used for the first time, and while nobody else uses the old one; a storage
    /// of this process that is open on it is closed, and finds an empty folder at its next use.
    ///
    /// ```swift
    /// try DiskStorage.moveCache(from: oldFolder, to: newFolder)      // at each launch: the second time does nothing
    /// let cache = try ImageCache(name: "images", cacheDirectoryURL: parent) { _, _ in newFolder }
    /// ```
    ///
    /// - Parameters:
    ///   - source: the folder with the blobs; also one that Kingfisher wrote. Of a symbolic link, what it leads to. Folders and
    ///     links in it that are not ours stay there when files have to be copied.
    ///   - target: a folder that is missing or empty.
    ///   - progress: counts files when they have to be copied. Cancelling it ends the move, with nothing changed.
    /// - Returns: whether there was anything to move.
    /// - Throws: ``CacheStorageError``, or `CancellationError`; then the source is whole. Ended by force it is finished by the
    ///   next call.
    /// - Complexity: one rename on the same volume; otherwise every file is copied and brought to the disk.
    @discardableResult
    public static func moveCache(from source: URL, to target: URL, progress: Progress? = nil) throws -> Bool {
        try moveCache(from: source, to: target, progress: progress, environment: StorageEnvironment())
    }

    package static func moveCache(
        from source: URL, to target: URL, progress: Progress?, environment: StorageEnvironment
    ) throws -> Bool {
        do {
            return try CacheMove(
                source: source.standardizedFileURL.path, target: target.standardizedFileURL.path,
                environment: environment, progress: progress
            ).run()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw CacheStorageError(error)
        }
    }
}
