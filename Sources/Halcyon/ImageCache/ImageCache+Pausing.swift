internal import Foundation

extension ImageCache {
    /// Writes what is pending and lets go of the disk, until ``resume()``; see ``DiskStorage/Backend/suspend()``.
    ///
    /// Stores and clears that were called before are finished first, also those of other caches of this process on the folder: for
    /// these it waits five seconds at most. Those that would wait for another process's lock fail at once instead, with
    /// ``CacheStorageError/Code/suspended``, and so does what any of them is asked to store from now on. Memory goes on as usual. On iOS an app's caches in app group
    /// containers do it by themselves when the app has entered the background, and end it when it enters the foreground. So do
    /// extensions whose host app goes to the background, and watch apps. Any other extension, and an app that is woken in the background,
    /// have to do it before they let the system suspend them.
    ///
    /// - Parameter handler: called on the cache's queue when nothing is held any more.
    public func suspend(completion handler: (@Sendable () -> Void)? = nil) {
        suspend(unlessResumedSince: resumptionCount) { handler?() }
    }

    /// Returns when nothing is held any more.
    public func suspend() async {
        await withCheckedContinuation { continuation in suspend { continuation.resume() } }
    }

    /// Ends ``suspend(completion:)``. At once: what is called from now on finds the disk.
    public func resume() {
        resumptions.withLock { $0 += 1 }
        diskStorage.resume()
    }

    // MARK: Flushing and closing

    /// Writes into the index what is only noted in memory, in its turn among the cache's calls; see ``DiskStorage/Backend/flush()``.
    ///
    /// - Parameter handler: called on the cache's queue. After a failure what could not be written stays noted.
    public func flush(completion handler: (@Sendable (Result<(), KingfisherError>) -> Void)? = nil) {
        ioQueue.async { [self] in
            let result = diskResult { try diskStorage.flush() }
            handler?(result)
        }
    }

    /// Returns when what was noted in memory is in the index.
    public func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in flush { continuation.resume(with: $0) } }
    }

    /// Writes what is pending and closes the index; see ``DiskStorage/Backend/close()``. Stores and clears that were called before are
    /// finished first, a later use opens the index again, and memory goes on as usual.
    ///
    /// - Parameter handler: called on the cache's queue once the index is closed.
    public func close(completion handler: (@Sendable () -> Void)? = nil) {
        onceDone { [diskStorage] in
            diskStorage.close()
            handler?()
        }
    }

    /// Returns when the index is closed.
    public func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }

    /// Runs `body` on the I/O queue behind all that was called before, clears included.
    func onceDone(_ body: @escaping @Sendable () -> Void) {
        ioQueue.async { [self] in onceCleared(body) }
    }

    // MARK: When the system suspends the process

    /// Counts the calls of ``resume()``: a suspension that has waited for its turn meanwhile is out of date.
    var resumptionCount: Int { resumptions.withLock { $0 } }

    /// Writes what is pending and, if the folder is shared with extensions, lets go of it.
    ///
    /// - Parameters:
    ///   - count: of resumptions when the app entered the background. If it has come back since, nothing is let go of.
    ///   - handler: called on the cache's queue.
    func prepareForSuspension(unlessResumedSince count: Int, then handler: @escaping @Sendable () -> Void) {
        guard !diskStorage.isInAppGroup else { return suspend(unlessResumedSince: count, then: handler) }
        ioQueue.async { [diskStorage] in
            diskStorage.store.recorder.flushAccessLog()
            handler()
        }
    }

    /// As ``prepareForSuspension(unlessResumedSince:then:)``, at once: what is queued or under way fails. Returns within a second or so.
    ///
    /// - Parameter count: of resumptions when the app entered the background. If it has come back since, nothing is let go of.
    func releaseSharedFolder(unlessResumedSince count: Int) {
        guard diskStorage.isInAppGroup, resumptionCount == count else { return }
        diskStorage.suspendAtOnce()
        // It may have come back meanwhile: that is the last word.
        if resumptionCount != count { diskStorage.resume() }
    }

    /// As ``releaseSharedFolder(unlessResumedSince:)``, without waiting: what has files open closes them on another thread.
    func releaseSharedFolderSoon(unlessResumedSince count: Int) {
        guard diskStorage.isInAppGroup, resumptionCount == count else { return }
        diskStorage.refuse()
        DispatchQueue.global(qos: .userInteractive).async { [self] in releaseSharedFolder(unlessResumedSince: count) }
    }

    /// Undoes what ``prepareForSuspension(unlessResumedSince:then:)`` did or is about to do.
    func resumeAfterSuspension() {
        if diskStorage.isInAppGroup { resume() }
    }

    private func suspend(unlessResumedSince count: Int, then handler: @escaping @Sendable () -> Void) {
        // Now: what is called behind this is not waited for, and what waits for another process's lock fails.
        diskStorage.store.index.stopWaiting()
        let accepted = diskStorage.store.acceptedWork.soFar()
        onceDone { [self] in
            // Not for ever: another cache's handler may be what waits for this one.
            _ = accepted.wait(timeout: .now() + Self.patienceWithOthers)
            // resume() may have been called while this waited for its turn, or while it suspends: then that is the last word.
            guard resumptionCount == count else {
                diskStorage.resume()
                return handler()
            }
            diskStorage.suspend()
            if resumptionCount != count { diskStorage.resume() }
            handler()
        }
    }

    /// Seconds.
    private static let patienceWithOthers = 5.0
}
