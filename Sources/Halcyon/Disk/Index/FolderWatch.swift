/// Tells with one `lstat` whether what is called what in a folder can have changed since all of it was looked at.
///
/// The system dates a folder whenever a name in it comes, goes or changes hands. Its clock stands still for some milliseconds (on
/// some volumes for two seconds), so a folder that has changed just now proves nothing until that is over; `git` does the same
/// with its files ("racy git").
final class FolderWatch: Sendable {
    private let path: String
    private let fileSystem: any FileSystem
    private let seen: Locked<Appearance?> = Locked(nil)

    private struct Appearance: Equatable {
        let device: UInt64
        let inode: UInt64
        let modified: Timestamp
        let changed: Timestamp

        init(_ folder: FileStatus) {
            (device, inode) = (folder.device, folder.inode)
            (modified, changed) = (folder.modified, folder.changed)
        }
    }

    init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// What `look` finds in the folder; without looking where it found the same before and no name can have changed since.
    ///
    /// - Returns: also false where there is no folder, or a link to one.
    func check(_ look: () throws(SystemError) -> Bool) throws(SystemError) -> Bool {
        guard let folder = try fileSystem.statusIfPresent(at: path), folder.kind == .directory else { return false }
        let appearance = Appearance(folder)
        if seen.withLock({ $0 == appearance }) { return true }
        let isAsExpected = try look()
        // From before the look: what changed meanwhile is seen the next time.
        let isProof = isAsExpected && isSettled(folder) && isDated
        seen.withLock { $0 = isProof ? appearance : nil }
        return isAsExpected
    }

    /// Looks again the next time.
    func forget() { seen.withLock { $0 = nil } }

    /// Whether this kind of volume can be relied on to date its folders.
    private var isDated: Bool {
        guard let volume = try? fileSystem.volume(at: path) else { return false }
        return volume.hasStableInodes && !volume.isNetworked
    }

    private func isSettled(_ folder: FileStatus) -> Bool {
        let age = fileSystem.now - max(folder.changed, folder.modified)
        return age > 3_000
    }
}
