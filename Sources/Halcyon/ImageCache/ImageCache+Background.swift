internal import Foundation

extension ImageCache {
    /// Asks the system for background time.
    ///
    /// Calls `onExpiration` when the time runs out. Returns a closure that gives the time back; nil if the system grants none.
    typealias BackgroundTime =
        @MainActor (_ onExpiration: @escaping @MainActor @Sendable (_ end: @escaping End) -> Void) -> End?

    typealias End = @MainActor @Sendable () -> Void

    /// Empties the memory unless it is kept in the background. The memory storage does that itself, but loads under way would fill
    /// it again.
    func releaseMemoryInBackground() {
        if !memoryStorage.config.keepWhenEnteringBackground { clearMemoryCache() }
    }

    /// Cleans the disk, writes what is pending, and releases a shared folder.
    @MainActor
    func cleanInBackground(_ askForTime: BackgroundTime) {
        // Discrete, so that it is not part of a `Progress` that is current on the caller's thread.
        let progress = Progress.discreteProgress(totalUnitCount: 0)
        let resumptions = resumptionCount
        let end = askForTime { [weak self] end in
            progress.cancel()
            // This is the main thread, so another thread does the waiting. The time is given back after that.
            self?.releaseSharedFolderSoon(unlessResumedSince: resumptions, then: end) ?? end()
        }
        guard let end else { return releaseSharedFolder(unlessResumedSince: resumptions) }
        cleanDisk(progress: progress) { [self] in
            prepareForSuspension(unlessResumedSince: resumptions) {
                DispatchQueue.main.async { end() }
            }
        }
    }

    /// Writes what is pending and releases a shared folder. Extensions and watch apps get no time for more.
    func pauseInBackground(_ perform: @escaping ExpiringActivity.Perform) {
        let resumptions = resumptionCount
        // Off this thread, because `begin` waits for the system's answer.
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let activity = ExpiringActivity(perform)
            let hasTime = activity.begin { [weak self] in self?.releaseSharedFolder(unlessResumedSince: resumptions) }
            guard hasTime else { return releaseSharedFolder(unlessResumedSince: resumptions) }
            prepareForSuspension(unlessResumedSince: resumptions) { activity.end() }
        }
    }
}
