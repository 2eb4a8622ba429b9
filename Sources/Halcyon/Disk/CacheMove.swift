internal import Foundation

/// Takes a whole cache to another folder.
///
/// On one volume that is a rename. Otherwise everything is copied beside the target and brought to the disk, then renamed to
/// the target, and only then removed from the source: whenever it ends early, one of the two is whole.
struct CacheMove {
    let source: String
    let target: String
    var environment = StorageEnvironment()
    /// Counts files; cancelling it ends the copying, and nothing has changed then.
    var progress: Progress?

    private var fileSystem: any FileSystem { environment.fileSystem }
    private var sourceBlobs: BlobStore { BlobStore(directory: source, fileSystem: fileSystem) }
    /// Where the copy is made.
    private var copy: BlobStore { BlobStore(directory: target + ".moving", fileSystem: fileSystem) }
    /// In the target while the source is still to be removed: the source's path.
    private var marker: String { "\(target)/\(BlobStore.metadataFolder)/moved-from" }

    /// False if there is nothing to move.
    func run() throws -> Bool {
        guard source != target else { return false }
        if try finishEarlierMove() { return true }
        guard try isFolder(source) else { return false }
        try requireRoom()
        EntryStore.closeShared(directory: source)
        do throws(SystemError) {
            try fileSystem.rename(source, to: target)
        } catch {
            guard error.code == EXDEV else { throw error }
            try copyAndRemove()
        }
        return true
    }

    // MARK: Before

    private func isFolder(_ path: String) throws -> Bool {
        try sourceBlobs.status(at: path + "/.")?.kind == .directory
    }

    private func requireRoom() throws {
        if try isFolder(target) {
            try fileSystem.list(target) { _ in
                throw CacheStorageError(
                    .targetInUse, "The folder \(target) is not empty.",
                    remedy: "Move the cache before the new folder is used for the first time, or give an empty folder.")
            }
        }
        let parent = (target as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    }

    // MARK: To another volume

    private func copyAndRemove() throws {
        try? FileManager.default.removeItem(atPath: copy.directory)
        do {
            try makeCopy()
            try fileSystem.rename(copy.directory, to: target)
        } catch {
            // The next try begins with removing it, should that fail now.
            try? FileManager.default.removeItem(atPath: copy.directory)
            throw error
        }
        try removeSource()
    }

    private func makeCopy() throws {
        let store = EntryStore(directory: source, environment: environment)
        defer { store.close() }
        try store.open()
        // The copies are newer than the index: nobody could tell them from what a crash left.
        try store.finishAdoption()
        try store.settleDetached()
        try copy.prepare()
        try copyFiles()
        try store.index.snapshot(to: copy.indexPath)
        try write(Data(source.utf8), to: (copy.metadataDirectory as NSString).appendingPathComponent("moved-from"))
    }

    private func copyFiles() throws {
        var count: Int64 = 0
        try sourceBlobs.forEachName { _ in
            count += 1
            return true
        }
        progress?.totalUnitCount = count
        try sourceBlobs.forEachName { name in
            if progress?.isCancelled ?? false { throw CancellationError() }
            try copyFile(name)
            progress?.completedUnitCount += 1
            return true
        }
    }

    /// With its modification date, by which it is known. Folders and links are nobody's blobs and stay.
    private func copyFile(_ name: String) throws {
        let path = "\(source)/\(name)"
        guard let file = try sourceBlobs.status(at: path), file.kind == .regular,
            let data = try sourceBlobs.read(path, accepting: { $0.kind == .regular })
        else { return }
        try write(data, to: "\(copy.directory)/\(name)", as: file)
    }

    private func write(_ data: Data, to path: String, as original: FileStatus? = nil) throws {
        let file = try fileSystem.createFile(path)
        defer { fileSystem.close(file) }
        try copy.write(data, to: file)
        if let original {
            try fileSystem.setModified(original.modified, microseconds: original.modifiedMicroseconds, of: file)
        }
        try fileSystem.synchronize(file)
    }

    // MARK: After

    /// True if an earlier move got as far as this target, and only the source was left to be removed.
    private func finishEarlierMove() throws -> Bool {
        guard let data = try copy.read(marker, accepting: { $0.kind == .regular }), data == Data(source.utf8) else {
            return false
        }
        try removeSource()
        return true
    }

    /// What the target has, and our own folder. What else is in the source stays there.
    private func removeSource() throws {
        var names: [String] = []
        try sourceBlobs.forEachName { name in
            names.append(name)
            return true
        }
        for name in names where try sourceBlobs.status(at: "\(target)/\(name)")?.kind == .regular {
            try fileSystem.unlink("\(source)/\(name)")
        }
        if try isFolder(sourceBlobs.metadataDirectory) {
            try FileManager.default.removeItem(atPath: sourceBlobs.metadataDirectory)
        }
        // Not empty: something in it is not ours.
        try? fileSystem.removeDirectory(source)
        try fileSystem.unlink(marker)
    }
}
