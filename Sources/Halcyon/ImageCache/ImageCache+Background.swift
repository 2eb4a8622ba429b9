internal import Foundation

extension ImageCache {
    /// Asks the system for time in the background.
    ///
    /// Its argument is called when the time runs out. Returns what gives the time back; nil if there is none.
    typealias BackgroundTime =
        @MainActor (_ onExpiration: @escaping @MainActor @Sendable () -> Void) -> (@MainActor @Sendable () -> Void)?

    /// Cleans the disk, writes what is pending, and lets go of a shared folder.
    @MainActor
    func cleanInBackground(_ askForTime: BackgroundTime) {
        // Discrete: it is no part of what the caller may be counting on this thread.
        let progress = Progress.discreteProgress(totalUnitCount: 0)
        let resumptions = resumptionCount
        let end = askForTime { [weak self] in
            progress.cancel()
            // On the main thread: what waits is done elsewhere, and the time is given back after that.
            self?.releaseSharedFolderSoon(unlessResumedSince: resumptions)
        }
        guard let end else { return releaseSharedFolder(unlessResumedSince: resumptions) }
        cleanDisk(progress: progress) { [self] in
            prepareForSuspension(unlessResumedSince: resumptions) {
                DispatchQueue.main.async { end() }
            }
        }
    }

    /// Writes what is pending and lets go of a shared folder: an extension and a watch app get no time for more.
    func pauseInBackground(_ perform: @escaping ExpiringActivity.Perform) {
        let resumptions = resumptionCount
        // Not on this thread: the system's answer is waited for.
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let activity = ExpiringActivity(perform)
            let hasTime = activity.begin { [weak self] in self?.releaseSharedFolder(unlessResumedSince: resumptions) }
            guard hasTime else { return releaseSharedFolder(unlessResumedSince: resumptions) }
            prepareForSuspension(unlessResumedSince: resumptions) { activity.end() }
        }
    }
}
