internal import CHalcyonSystem
internal import Foundation

/// The files of a cache: their paths, and the few ways in which they move. Knows no keys, and only the dates it is given.
///
/// Blobs are flat in the cache directory. `.halcyon/staging/` has bytes that are not published yet or were just replaced.
/// `.halcyon/trash/` has blobs that are out of the index and wait to be unlinked.
package final class BlobStore: Sendable {
    /// The cache directory.
    package let directory: String
    let fileSystem: any FileSystem
    /// End with a slash, because every call makes a path.
    private let (prefix, stagingPrefix, trashPrefix): (String, String, String)
    private let watch: FolderWatch
    /// Cleared for good once the volume turns out to have no exchange.
    private let canExchange = Locked(true)
    private let canLink = Locked(true)
    /// Whether the volume folds names; nil until it matters.
    let folding: Locked<Bool?> = Locked(nil)

    package init(directory: String, fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
        let metadata = "\(directory)/\(Self.metadataFolder)"
        (prefix, stagingPrefix, trashPrefix) = ("\(directory)/", "\(metadata)/staging/", "\(metadata)/trash/")
        metadataDirectory = metadata
        watch = FolderWatch(path: metadata, fileSystem: fileSystem)
    }

    // MARK: Paths

    package static let metadataFolder = ".halcyon"
    package let metadataDirectory: String
    package var indexPath: String { "\(metadataDirectory)/index.sqlite" }
    package func path(of name: BlobName) -> String { prefix + name.text }
    package func path(of blob: DetachedBlob) -> String {
        (blob.place == .staging ? stagingPrefix : trashPrefix) + blob.fileName
    }
    package func path(of place: DetachedBlob.Place) -> String { "\(metadataDirectory)/\(place.rawValue)" }

    // MARK: Directories

    /// Creates the cache directory, its parents, and our own directories in it, if they are missing.
    package func prepare() throws(SystemError) {
        // While they are empty: files take the protection of their directory. Not a directory that the app has made: its own files there
        // stay in backups. Blobs have the protection of `staging`, in which they are created.
        if try makeDirectoryAndParents(directory) { FileFlags.markAsCache(directory) }
        if try makeDirectory(metadataDirectory, followingLinks: false) { FileFlags.markAsCache(metadataDirectory) }
        for place in DetachedBlob.Place.allCases {
            try makeDirectory(path(of: place), followingLinks: false)
        }
        // After those, which would inherit it: then Btrfs would keep no checksums of blobs.
        halcyon_write_in_place(metadataDirectory)
    }

    /// The shortest form of a directory's path.
    ///
    /// Foundation's first standardization takes a fifth of a millisecond, so paths that are already in this form skip it.
    static func path(of folder: URL) -> String {
        let path = folder.path
        let isStandard =
            path.hasPrefix("/") && !path.hasPrefix("/private/")
            && path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
        let standard = isStandard ? path : folder.standardizedFileURL.path
        #if canImport(Darwin)
            // Foundation does that only for what exists already, so the storage that creates the directory would have another path.
            if ["/private/var/", "/private/tmp/"].contains(where: standard.hasPrefix) {
                return String(standard.dropFirst("/private".count))
            }
        #endif
        return standard
    }

    package var parentDirectory: String { Self.parent(of: directory) }

    /// Foundation's function crashes on Linux if the path is relative because the current directory was deleted.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates the directory for this user alone, and its parents with ordinary permissions. Returns false if it exists.
    @discardableResult
    private func makeDirectoryAndParents(_ path: String, isPrivate: Bool = true) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try makeDirectory(path, isPrivate: isPrivate)
        } catch {
            let parent = Self.parent(of: path)
            guard error.code == ENOENT, parent != path else { throw error }
            try makeDirectoryAndParents(parent, isPrivate: false)
            return try makeDirectory(path, isPrivate: isPrivate)
        }
    }

    /// Returns true if it created the directory, false if that exists.
    @discardableResult
    private func makeDirectory(
        _ path: String, isPrivate: Bool = true, followingLinks: Bool = true
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try fileSystem.makeDirectory(path, isPrivate: isPrivate)
            return true
        } catch {
            // A read-only volume reports this even for an existing directory.
            guard error.code == EEXIST || error.code == EROFS || error.code == EACCES else { throw error }
            guard try isDirectory(path, followingLinks: followingLinks) else {
                throw SystemError("mkdir", error.code == EEXIST ? ENOTDIR : error.code)
            }
            return false
        }
    }

    /// The user may have put a symlink in place of the cache directory; it is followed. Our own directories must not be symlinks,
    /// or we would delete files elsewhere.
    private func isDirectory(_ path: String, followingLinks: Bool) throws(SystemError) -> Bool {
        try status(at: followingLinks ? path + "/." : path)?.kind == .directory
    }

    /// Whether a place is still our own directory. If another program has put a symlink there, staging, trashing and sweeping would
    /// reach outside the cache directory.
    private func isOurs(_ place: DetachedBlob.Place) throws(SystemError) -> Bool {
        guard try isDirectory(metadataDirectory, followingLinks: false) else { return false }
        return try isDirectory(path(of: place), followingLinks: false)
    }

    /// Throws for a symlink what a missing directory throws. Callers then create directories, which fails with the obstacle.
    private func requireOurs(_ place: DetachedBlob.Place) throws(SystemError) {
        let areAllOurs = try watch.check { () throws(SystemError) in
            // `watch` has examined their parent.
            guard try isDirectory(path(of: .staging), followingLinks: false) else { return false }
            return try isDirectory(path(of: .trash), followingLinks: false)
        }
        if areAllOurs { return }
        guard try isOurs(place) else { throw SystemError("mkdir", ENOTDIR) }
    }

    // MARK: Examining

    /// The file under a name; nil if there is none.
    package func status(of name: BlobName) throws(SystemError) -> FileStatus? { try status(at: path(of: name)) }

    func status(of blob: DetachedBlob) throws(SystemError) -> FileStatus? { try status(at: path(of: blob)) }

    func status(at path: String) throws(SystemError) -> FileStatus? {
        try fileSystem.statusIfPresent(at: path)
    }

    /// All staged or trashed files of a row.
    func detached(of rowID: Int64, in place: DetachedBlob.Place) throws -> [DetachedBlob] {
        try detached(in: place).filter { $0.rowID == rowID }
    }

    /// All files in `staging/` or `trash/`. A missing directory has none, nor has a symlink.
    func detached(in place: DetachedBlob.Place) throws -> [DetachedBlob] {
        guard try isOurs(place) else { return [] }
        var found: [DetachedBlob] = []
        try forEachName(in: path(of: place)) { name in
            if let blob = DetachedBlob(fileName: name, place: place) { found.append(blob) }
            return true
        }
        return found
    }

    /// Passes every name in the cache directory to `body`, until it returns false.
    package func forEachName(_ body: (String) throws -> Bool) throws { try forEachName(in: directory, body) }

    private func forEachName(in path: String, _ body: (String) throws -> Bool) throws {
        do {
            try fileSystem.list(path, body)
        } catch let error as SystemError where error.isMissing && error.call == "opendir" {
            return
        }
    }

    // MARK: Reading

    /// A file that the caller has to close.
    typealias OpenFile = (file: FileDescriptor, status: FileStatus)

    /// Opens a file and judges it; nil if there is none, or it is not accepted.
    func open(_ path: String, accepting isAccepted: (FileStatus) -> Bool) throws(SystemError) -> OpenFile? {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try fileSystem.openForReading(path)
        } catch  where error.isMissing || [ELOOP, ENXIO, EOPNOTSUPP].contains(error.code) {
            // Symlinks are never followed, and sockets cannot be opened. Apple's systems have another code for these.
            return nil
        }
        var isReturned = false
        defer { if !isReturned { fileSystem.close(file) } }
        let status = try fileSystem.status(of: file)
        isReturned = isAccepted(status)
        return isReturned ? (file, status) : nil
    }

    /// Opens a file, judges it, and reads all of it; nil if there is none, or it is not accepted.
    func read(_ path: String, accepting isAccepted: (FileStatus) -> Bool) throws(SystemError) -> Data? {
        guard let open = try open(path, accepting: isAccepted) else { return nil }
        defer { fileSystem.close(open.file) }
        guard let count = Int(exactly: open.status.size) else { throw SystemError("read", EFBIG) }
        return try read(open.file, count: count)
    }

    /// Reads exactly `count` bytes; returns nil if the file has become shorter.
    private func read(_ file: FileDescriptor, count: Int) throws(SystemError) -> Data? {
        guard count > 0 else { return Data() }
        guard let memory = malloc(count) else { throw SystemError("malloc", ENOMEM) }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
        var filled = 0
        defer { if filled < count { free(memory) } }
        while filled < count {
            let got = try fileSystem.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            guard got > 0 else { return nil }
            filled += got
        }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    // MARK: Staging

    /// Writes bytes to `staging/`, without any lock. Sets the modification date to the expiration, for a rebuilt index and for Kingfisher.
    ///
    /// - Throws: the file system's error, also if the protection is refused. Nothing is then left in `staging/`.
    func stage(
        _ data: Data, as blob: DetachedBlob, modified: Timestamp, protection: FileProtectionType? = nil
    ) throws(SystemError) -> FileStatus {
        try requireOurs(blob.place)
        let path = path(of: blob)
        let file = try fileSystem.createFile(path)
        var isOpen = true
        do throws(SystemError) {
            defer { if isOpen { fileSystem.close(file) } }
            // While it is empty, so that no byte is on the disk unprotected.
            if let protection { try fileSystem.protect(path, as: protection) }
            try write(data, to: file)
            let tag = BlobTag(token: blob.token)
            try fileSystem.setModified(modified, microseconds: tag.microseconds, of: file)
            let staged = try fileSystem.status(of: file)
            // Without the date, no lookup would find the blob.
            guard tag.admits(staged) else { throw SystemError("futimens", ENOTSUP) }
            // A volume that writes later may have lost bytes by now.
            guard staged.size == data.count else { throw SystemError("write", EIO) }
            isOpen = false
            try fileSystem.closeWritten(file)
            return staged
        } catch {
            try? fileSystem.unlink(path)
            throw error
        }
    }

    func write(_ data: Data, to file: FileDescriptor) throws(SystemError) {
        // Foundation's `withUnsafeBytes` does not support typed throws.
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try write(bytes, to: file) }
        }
        try result.get()
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try fileSystem.write(file, UnsafeRawBufferPointer(rebasing: rest))
            guard count > 0 else { throw SystemError("write", EIO) }
            rest = rest.dropFirst(count)
        }
    }

    // MARK: Publishing

    /// Puts a staged file under its name, in one step for readers.
    ///
    /// - Parameters:
    ///   - old: the file under the name, examined under the write lock; nil if there is none.
    ///   - oldToken: the token of the row whose blob that is.
    /// - Returns: where the old bytes are now. They stay until the row is committed.
    func publish(
        _ staged: DetachedBlob, as name: BlobName, over old: FileStatus?, oldToken: @autoclosure () -> Int64
    ) throws(SystemError) -> DetachedBlob? {
        let (source, target) = (path(of: staged), path(of: name))
        guard old != nil else {
            try fileSystem.rename(source, to: target)
            return nil
        }
        if try exchange(source, target) { return staged }
        let kept = DetachedBlob(place: .trash, rowID: staged.rowID, token: oldToken())
        let isLinked = try keep(target, as: path(of: kept))
        do throws(SystemError) {
            try fileSystem.rename(source, to: target)
        } catch {
            // The old bytes still have their name, so remove the hard link; or else move them back.
            if isLinked { try? fileSystem.unlink(path(of: kept)) } else { try? restore(kept, as: name) }
            throw error
        }
        return kept
    }

    /// Returns false if the volume has no exchange.
    private func exchange(_ first: String, _ second: String) throws(SystemError) -> Bool {
        guard canExchange.withLock({ $0 }) else { return false }
        do throws(SystemError) {
            try fileSystem.exchange(first, second)
            return true
        } catch  where error.isUnsupported {
            // EPERM may concern this file alone.
            if error.code != EPERM { canExchange.withLock { $0 = false } }
            return false
        }
    }

    /// Keeps the old bytes before a rename replaces them: with a hard link, or else (returns false) by moving them.
    private func keep(_ path: String, as kept: String) throws(SystemError) -> Bool {
        if try link(path, as: kept) { return true }
        // Neither exchange nor links: the name is absent for a moment, and readers find the bytes in the trash.
        try fileSystem.rename(path, to: kept)
        return false
    }

    private func link(_ path: String, as kept: String) throws(SystemError) -> Bool {
        guard canLink.withLock({ $0 }) else { return false }
        do throws(SystemError) {
            try fileSystem.link(path, to: kept)
        } catch  where error.isUnsupported {
            canLink.withLock { $0 = false }
            return false
        } catch  where error.code == EEXIST {
            // Left by a crash, and useless: the row's blob is in its place.
            try fileSystem.unlink(kept)
            try fileSystem.link(path, to: kept)
        }
        return true
    }

    /// Moves a blob to the trash; returns nil if there is none.
    ///
    /// - Parameters:
    ///   - token: the token of its row. If it has no row, any.
    ///   - isLinked: whether the file has several hard links.
    func trash(_ name: BlobName, token: Int64, isLinked: Bool = false) throws(SystemError) -> DetachedBlob? {
        let blob = DetachedBlob(place: .trash, rowID: name.rowID, token: token)
        do throws(SystemError) {
            try requireOurs(blob.place)
            // An interrupted store may have left a link to this file there. A rename of a file onto itself does nothing.
            if isLinked { try? fileSystem.unlink(path(of: blob)) }
            try fileSystem.rename(path(of: name), to: path(of: blob))
        } catch  where error.isMissing {
            // The blob may exist and our directory be missing.
            guard try status(of: name) != nil else { return nil }
            try prepare()
            try fileSystem.rename(path(of: name), to: path(of: blob))
        }
        return blob
    }

    /// Puts a detached file under its name, in place of whatever is there, except a directory that is not empty.
    func restore(_ blob: DetachedBlob, as name: BlobName) throws(SystemError) {
        do throws(SystemError) {
            try fileSystem.rename(path(of: blob), to: path(of: name))
        } catch {
            guard try status(of: name)?.kind == .directory else { throw error }
            do throws(SystemError) { try fileSystem.removeDirectory(path(of: name)) } catch { return }
            try fileSystem.rename(path(of: blob), to: path(of: name))
        }
    }

    // MARK: Removing

    func unlink(_ blob: DetachedBlob) throws(SystemError) { try removeAnything(at: path(of: blob)) }

    /// Unlinks what is under a name; a directory only if it is empty.
    func unlink(_ name: BlobName) throws(SystemError) { try removeAnything(at: path(of: name)) }

    /// Unlinks a file that is not a row's blob. Leaves a directory that is not empty.
    func unlinkUnlessFilled(_ name: BlobName, _ file: FileStatus) throws(SystemError) {
        do throws(SystemError) { try unlink(name) } catch  where file.kind == .directory {}
    }

    private func removeAnything(at path: String) throws(SystemError) {
        do throws(SystemError) {
            try fileSystem.unlink(path)
        } catch  where error.isMissing {
        } catch  where error.code == EISDIR || error.code == EPERM {
            // Linux reports the first for a directory, and Apple's systems the second.
            guard try status(at: path)?.kind == .directory else { throw error }
            try fileSystem.removeDirectory(path)
        }
    }
}
