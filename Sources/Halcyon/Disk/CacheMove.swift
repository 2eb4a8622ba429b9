internal import Foundation

/// Takes a whole cache to another folder.
///
/// On one volume that is a rename. Otherwise everything is copied beside the target and brought to the disk, then renamed to
/// the target, and only then removed from the source: whenever it ends early, one of the two is whole.
struct CacheMove {
    let source: String
    let target: String
    /// As given, perhaps through a symbolic link: what a storage of this process is registered under.
    private let givenSource: String
    private let environment: StorageEnvironment
    /// Counts files; cancelling it ends the copying, and nothing has changed then.
    private let progress: Progress?

    init(source: String, target: String, environment: StorageEnvironment, progress: Progress?) {
        givenSource = source
        // The folder is moved, not a link to it.
        self.source = Self.followingLink(source)
        self.target = Self.followingLink(target)
        self.environment = environment
        self.progress = progress
    }

    private var fileSystem: any FileSystem { environment.fileSystem }
    private var sourceBlobs: BlobStore { BlobStore(directory: source, fileSystem: fileSystem) }
    /// Where the copy is made.
    private var copy: BlobStore { BlobStore(directory: copyPath, fileSystem: fileSystem) }
    /// Beside the target, hidden, and nobody else's name: what an earlier try has left there is removed.
    private var copyPath: String {
        let (parent, name) = ((target as NSString).deletingLastPathComponent, (target as NSString).lastPathComponent)
        return (parent as NSString).appendingPathComponent(".\(name).halcyon-move")
    }
    /// In the target while the source is still to be removed: the source's path.
    private var marker: String { "\(target)/\(BlobStore.metadataFolder)/moved-from" }

    /// False if there is nothing to move.
    func run() throws -> Bool {
        guard source != target else { return false }
        if try finishEarlierMove() { return true }
        guard try hasCache() else { return false }
        do {
            try move()
        } catch {
            // Another process has moved it meanwhile, unless it was this one, and something is left to be done.
            guard (try? hasCache()) == false, (try? sourceBlobs.status(at: marker)) == nil else { throw error }
            return false
        }
        return true
    }

    private func move() throws {
        try requireRoom()
        for directory in Set([source, givenSource]) { StoreLease.close(directory: directory) }
        do throws(SystemError) {
            try fileSystem.rename(source, to: target)
        } catch {
            guard error.code == EXDEV else { throw error }
            try copyAndRemove()
        }
    }

    // MARK: Before

    private static func followingLink(_ path: String) -> String {
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil else { return path }
        return resolved(path) ?? path
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func isFolder(_ path: String) throws -> Bool {
        try sourceBlobs.status(at: path + "/.")?.kind == .directory
    }

    /// What an earlier move has left behind, folders and links of somebody's, is none.
    private func hasCache() throws -> Bool {
        if try isFolder(sourceBlobs.metadataDirectory) { return true }
        var isFound = false
        try sourceBlobs.forEachName { name in
            isFound = try sourceBlobs.status(at: "\(source)/\(name)")?.kind == .regular
            return !isFound
        }
        return isFound
    }

    private func requireRoom() throws {
        guard !isTargetInside else {
            throw CacheStorageError(
                .targetInUse, "The folder \(target) is in the one that is to be moved.",
                remedy: "Give a folder outside.")
        }
        if try isFolder(target) {
            try fileSystem.list(target) { _ in
                throw CacheStorageError(
                    .targetInUse, "The folder \(target) is not empty.",
                    remedy: "Move the cache before the new folder is used for the first time, or give an empty folder.")
            }
        } else if try sourceBlobs.status(at: target) != nil {
            throw CacheStorageError(
                .targetInUse, "There is something at \(target) that is no folder.", remedy: "Give another folder.")
        }
        let parent = (target as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    }

    private var isTargetInside: Bool {
        guard let source = Self.resolved(source) else { return false }
        var path = target
        while Self.resolved(path) == nil, path.count > 1 { path = (path as NSString).deletingLastPathComponent }
        return ((Self.resolved(path) ?? path) + "/").hasPrefix(source + "/")
    }

    // MARK: To another volume

    private func copyAndRemove() throws {
        try? FileManager.default.removeItem(atPath: copy.directory)
        do {
            try makeCopy()
            for folder in [copy.metadataDirectory, copy.directory] { synchronizeFolder(folder) }
            try fileSystem.rename(copy.directory, to: target)
            // The two volumes are written at different times.
            synchronizeFolder((target as NSString).deletingLastPathComponent)
        } catch {
            // The next try begins with removing it, should that fail now.
            try? FileManager.default.removeItem(atPath: copy.directory)
            throw error
        }
        try removeSource()
    }

    private func makeCopy() throws {
        let lease = StoreLease(EntryStore(directory: source, environment: environment))
        let store = lease.store
        // Not before: without the lease nobody would do the store's housekeeping.
        defer { withExtendedLifetime(lease) { store.close() } }
        try store.open()
        // The copies are newer than the index: nobody could tell them from what a crash left.
        try store.finishAdoption()
        try store.settleDetached()
        try copy.prepare()
        // Before the files: those that are older are all copied.
        try write(Data(source.utf8), to: (copy.metadataDirectory as NSString).appendingPathComponent("moved-from"))
        try copyFiles()
        try store.index.snapshot(to: copy.indexPath)
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

    /// Some volumes refuse this, and need it no less for that.
    private func synchronizeFolder(_ path: String) {
        guard let folder = try? fileSystem.openForReading(path) else { return }
        defer { fileSystem.close(folder) }
        try? fileSystem.synchronize(folder)
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

    /// What was copied, and our own folder. What else is in the source stays there. The target may have removed some of it
    /// since: what is older than the marker was in it.
    private func removeSource() throws {
        let copied = try sourceBlobs.status(at: marker)?.modified
        var names: [String] = []
        try sourceBlobs.forEachName { name in
            names.append(name)
            return true
        }
        for name in names {
            guard let file = try sourceBlobs.status(at: "\(source)/\(name)"), file.kind == .regular else { continue }
            let isCopied = try sourceBlobs.status(at: "\(target)/\(name)")?.kind == .regular
            if isCopied || copied.map({ file.changed < $0 }) ?? false { try fileSystem.unlink("\(source)/\(name)") }
        }
        if try isFolder(sourceBlobs.metadataDirectory) {
            try FileManager.default.removeItem(atPath: sourceBlobs.metadataDirectory)
        }
        try fileSystem.unlink(marker)
        // Not empty: something in it is not ours.
        try? fileSystem.removeDirectory(source)
    }
}
