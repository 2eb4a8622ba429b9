internal import Foundation

extension ImageCache {
    /// Writes what is pending and releases the disk until ``resume()``; see ``DiskStorage/Backend/suspend()``.
    ///
    /// Finishes earlier stores and clears first, and waits up to five seconds for those of other caches of this process on the
    /// folder. Calls that would wait for another process's lock fail at once with ``CacheStorageError/Code/suspended``, and so do
    /// later stores to any of these caches. Memory keeps working.
    ///
    /// On iOS, an app's caches in app group containers suspend when the app enters the background and resume when it enters the
    /// foreground. So do extensions when their host app enters the background, and watch apps. Any other extension, and an app
    /// woken in the background, must call this before it lets the system suspend it. Of several calls of this function and
    /// ``resume()``, the last decides, also if they are those of several caches of this process on the folder.
    ///
    /// - Parameter handler: called on the cache's queue when the disk is released.
    public func suspend(completion handler: (@Sendable () -> Void)? = nil) {
        suspend(unlessResumedSince: resumptionCount) { handler?() }
    }

    /// Like ``suspend(completion:)``; returns when the disk is released.
    public func suspend() async {
        await withCheckedContinuation { continuation in suspend { continuation.resume() } }
    }

    /// Ends ``suspend(completion:)`` at once: later calls use the disk again.
    public func resume() { diskStorage.resume() }

    // MARK: Flushing and closing

    /// Writes changes that are only noted in memory to the index, in its turn among the cache's calls; see
    /// ``DiskStorage/Backend/flush()``.
    ///
    /// - Parameter handler: called on the cache's queue. After an error, the changes that were not written stay in memory.
    public func flush(completion handler: (@Sendable (Result<(), KingfisherError>) -> Void)? = nil) {
        onceDone { [self] in
            let result = diskResult { try diskStorage.flush() }
            handler?(result)
        }
    }

    /// Like ``flush(completion:)``; returns when the changes are in the index.
    public func flush() async throws { try await awaitResult { flush(completion: $0) } }

    /// Writes what is pending and closes the index; see ``DiskStorage/Backend/close()``. Finishes earlier stores and clears
    /// first, and ends an eviction that follows a store. Memory keeps working, and the next use of the disk opens the index again;
    /// the cleans of the timer do not. On Apple's systems, the clean when the app leaves the foreground does.
    ///
    /// - Parameter handler: called on the cache's queue when the index is closed.
    public func close(completion handler: (@Sendable () -> Void)? = nil) {
        onceDone { [self] in
            stopTrimming()
            diskStorage.close()
            handler?()
        }
    }

    /// Like ``close(completion:)``; returns when the index is closed.
    public func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }

    /// Runs `body` on the I/O queue after all earlier calls, including clears and removals in batches.
    func onceDone(_ body: @escaping @Sendable () -> Void) {
        ioQueue.async { [self] in onceRemoved(body) }
    }

    // MARK: When the system suspends the process

    /// If it changes while a suspension waits for its turn, the suspension is obsolete.
    var resumptionCount: Int { diskStorage.store.index.resumptions.withLock { $0 } }

    /// Writes what is pending and, if the folder is shared with extensions, releases it.
    ///
    /// - Parameters:
    ///   - count: ``resumptionCount`` when the app entered the background. If the app has returned since, the folder is kept.
    ///   - handler: called on the cache's queue.
    func prepareForSuspension(unlessResumedSince count: Int, then handler: @escaping @Sendable () -> Void) {
        guard !diskStorage.isInAppGroup else { return suspend(unlessResumedSince: count, then: handler) }
        ioQueue.async { [diskStorage] in
            diskStorage.store.recorder.flushAccessLog()
            handler()
        }
    }

    /// Like ``prepareForSuspension(unlessResumedSince:then:)``, but at once: queued and running calls fail. Returns within about
    /// a second.
    ///
    /// - Parameters:
    ///   - count: ``resumptionCount`` when the app entered the background. If the app has returned since, the folder is kept.
    ///   - release: releases the folder.
    func releaseSharedFolder(
        unlessResumedSince count: Int,
        by release: (EntryStore, EntryIndex.Obsolescence) -> Void = { $0.suspendAtOnce(unless: $1) }
    ) {
        guard diskStorage.isInAppGroup, resumptionCount == count else { return }
        release(diskStorage.store) { resumptionCount != count }
    }

    /// Like ``releaseSharedFolder(unlessResumedSince:by:)``, without waiting: another thread closes the open files.
    @MainActor func releaseSharedFolderSoon(unlessResumedSince count: Int, then handler: @escaping End) {
        guard diskStorage.isInAppGroup else { return handler() }
        releaseSharedFolder(unlessResumedSince: count) { $0.index.refuse(unless: $1) }
        DispatchQueue.global(qos: .userInteractive).async { [self] in
            releaseSharedFolder(unlessResumedSince: count)
            DispatchQueue.main.async { handler() }
        }
    }

    /// Undoes ``prepareForSuspension(unlessResumedSince:then:)``, finished or not.
    func resumeAfterSuspension() {
        if diskStorage.isInAppGroup { resume() }
    }

    private func suspend(unlessResumedSince count: Int, then handler: @escaping @Sendable () -> Void) {
        guard resumptionCount == count else { return onceDone(handler) }
        // Now, so that later calls are not waited for, and calls that wait for another process's lock fail.
        diskStorage.store.index.stopWaiting { resumptionCount != count }
        let accepted = diskStorage.store.acceptedWork.soFar()
        onceDone { [self] in
            // With a timeout, because another cache's handler may be waiting for this one.
            _ = accepted.wait(timeout: .now() + Self.patienceWithOthers)
            if resumptionCount == count { diskStorage.store.suspend { resumptionCount != count } }
            handler()
        }
    }

    /// Seconds.
    private static let patienceWithOthers = 5.0
}
