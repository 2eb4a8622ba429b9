public import Foundation

extension ImageCache {
    /// Like ``cleanExpiredDiskCache(completion:)``, with a progress that you can watch and cancel.
    ///
    /// - Parameters:
    ///   - progress: counts bytes. The clean sets `totalUnitCount` when it begins and `completedUnitCount` after each batch; they
    ///     are equal when it finishes. If you cancel it, the clean ends after the current batch, and the remaining entries stay.
    ///   - handler: called on the main queue when the clean has ended, cancelled or not.
    public func cleanExpiredDiskCache(progress: Progress, completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(progress: progress) { Self.onMainQueue(handler) }
    }

    /// Like ``cleanExpiredDiskCache(progress:completion:)``; cancelling the task cancels the progress.
    public func cleanExpiredDiskCache(progress: Progress) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cleanDisk(progress: progress) { continuation.resume() }
            }
        } onCancel: {
            progress.cancel()
        }
    }

    /// Runs one clean at a time, so that cleans do not pile up if the disk is slow or the interval is short.
    func cleanByTimer() {
        guard !isCleaningByTimer.replace(with: true) else { return }
        cleanDisk(progress: nil, opens: false) { [isCleaningByTimer] in isCleaningByTimer.withLock { $0 = false } }
    }

    /// - Parameter opens: false if it neither opens a closed index nor brings back a directory that was deleted.
    func cleanDisk(progress: Progress?, opens: Bool = true, then handler: @escaping @Sendable () -> Void) {
        onceAdopted(opens: opens) { [self] in
            // Otherwise it would evict others in place of what is about to be removed.
            onceRemoved { [self] number in
                let cleaning = DiskCleaning(diskStorage, progress: progress, opens: opens)
                cleaning.announce()
                runBatches(of: cleaning) { [self] in
                    postDidClean(removed: cleaning.removedNames)
                    handler()
                    endBatches(number)
                }
            }
        }
    }

    /// Runs a batch now, and each further one as a block of its own at the end of the queue.
    private func runBatches(of cleaning: DiskCleaning, then handler: @escaping @Sendable () -> Void) {
        // A clear removes everything that was there, and what is stored later has not expired.
        guard cleaning.runBatch(unless: isClearing) else { return handler() }
        ioQueue.async { [self] in runBatches(of: cleaning, then: handler) }
    }

    /// Runs `body` in its turn on the I/O queue. If the folder is being taken over from Kingfisher, runs it after that, without
    /// blocking loads and stores meanwhile.
    func onceAdopted(opens: Bool = true, _ body: @escaping @Sendable () -> Void) {
        ioQueue.async { [self] in
            // Only an open index knows whether files are adopted, and one that was deleted since does not.
            let store = diskStorage.store
            if opens {
                _ = store.index.refreshIfMoved(force: true)
                try? LockTimeout.briefly { try store.index.openForChange() }
            }
            guard opens || store.index.unlessClosed({}) != nil,
                store.condition.isSearching || Reclaimer(folder: store.folder).isAwaited
            else { return body() }
            store.onceAdopted(opens: opens) { [ioQueue] in ioQueue.async(execute: body) }
        }
    }

    /// On the I/O queue.
    var isClearing: Bool { turns.isClearing }

    /// Runs `body` once earlier clears, and earlier removals and cleans in batches, have finished. On the I/O queue.
    func onceRemoved(_ body: @escaping @Sendable () -> Void) {
        onceRemoved { [self] number in
            body()
            endBatches(number)
        }
    }

    /// - Parameter body: passes its argument to ``endBatches(_:)`` when it has finished. Later calls wait for that.
    private func onceRemoved(_ body: @escaping @Sendable (Int) -> Void) {
        turns.wait(body)
        continueWaiting()
    }

    /// Runs the calls whose turn has come. On the I/O queue.
    private func continueWaiting() {
        while let body = turns.takeNext() { body() }
    }

    /// On the I/O queue.
    func endBatches(_ number: Int) {
        turns.end(number)
        // Not at once: each of many waiting calls would run inside the one before.
        ioQueue.async { [self] in continueWaiting() }
    }

    /// When its turn comes, turns all entries into misses, then deletes them on another queue so that loads and stores can run.
    func clearDisk(then handler: @escaping @Sendable () -> Void) {
        let number = order.beginWideRemoval { number in
            ioQueue.async { [self] in
                // The handler cannot report an error. Loads find again what could not be removed, until the next clear.
                let remove = try? diskStorage.beginRemovingAll()
                order.endWideRemoval(number)
                remove.map { clear($0, then: handler) } ?? handler()
            }
        }
        if Self.clearingMemory.get() === self { removeFromMemory(memoryStorage.names, calledBefore: number) }
    }

    private func clear(
        _ remove: @escaping @Sendable () throws -> Void, then handler: @escaping @Sendable () -> Void
    ) {
        turns.clears += 1
        stopTrimming()
        // A queue of its own, because no clear waits for the one before.
        DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.clear", qos: .utility).async { [self] in
            diskStorage.noting(remove)
            ioQueue.async { [self] in
                handler()
                endClearing()
            }
        }
    }

    private func endClearing() {
        turns.clears -= 1
        guard !isClearing else { return }
        let limits = diskStorage.config.limits
        if !limits.isUnlimited { beginTrimming(to: limits) }
        continueWaiting()
    }
}
