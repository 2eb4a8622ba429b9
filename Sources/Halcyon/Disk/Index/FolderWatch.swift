/// Tells with one `lstat` whether a name in a directory may have changed since the last full check.
///
/// The system updates a directory's times whenever a name in it is added, removed or replaced. These times advance in steps of
/// up to ten milliseconds (on some volumes, two seconds), so they prove nothing for a directory that has just changed. `git` has
/// the same rule for files ("racy git").
final class FolderWatch: Sendable {
    private let path: String
    private let fileSystem: any FileSystem
    private let seen: Locked<FileStatus?> = Locked(nil)

    init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Returns the result of `look`, without calling it if it returned true before and no name can have changed since.
    ///
    /// - Returns: false also if the path is missing or not a directory, for example a symlink to one.
    func check(_ look: () throws(SystemError) -> Bool) throws(SystemError) -> Bool {
        guard let folder = try fileSystem.statusIfPresent(at: path), folder.kind == .directory else { return false }
        if seen.withLock({ $0 == folder }) { return true }
        // Both the status and the time are from before `look`, so the next call notices what changes during it, however long it takes.
        let isOldEnough = Self.isOldEnough(max(folder.changed, folder.modified), at: fileSystem.now)
        let isAsExpected = try look()
        let isProof = isAsExpected && isOldEnough && isDated
        seen.withLock { $0 = isProof ? folder : nil }
        return isAsExpected
    }

    /// Makes the next check call `look`.
    func forget() { seen.withLock { $0 = nil } }

    /// Whether this kind of volume reliably updates the times of directories.
    private var isDated: Bool {
        guard let volume = try? fileSystem.volume(at: path) else { return false }
        return volume.hasStableInodes && !volume.isNetworked
    }

    /// Whether a change after `now` gives a directory another time than the one of its latest change.
    static func isOldEnough(_ change: Timestamp, at now: Timestamp) -> Bool {
        // A fraction of a second shows that the volume's steps are short.
        let step: Int64 = change.milliseconds.isMultiple(of: 1_000) ? 3_000 : 100
        return now - change > step
    }
}
