public import Foundation

extension ImageCache {
    /// Like ``cleanExpiredDiskCache(completion:)``, with a progress that you can watch and cancel.
    ///
    /// - Parameters:
    ///   - progress: counts bytes. The clean sets `totalUnitCount` when it begins and `completedUnitCount` after each batch; they
    ///     are equal when it finishes. If you cancel it, the clean ends after the current batch, and the remaining entries stay.
    ///   - handler: called on the main queue when the clean has ended, cancelled or not.
    public func cleanExpiredDiskCache(progress: Progress, completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(progress: progress) { CallbackQueue.mainAsync.call(handler) }
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
        cleanDisk(progress: nil) { [isCleaningByTimer] in isCleaningByTimer.withLock { $0 = false } }
    }

    func cleanDisk(progress: Progress?, then handler: @escaping @Sendable () -> Void) {
        onceAdopted { [self] in
            let cleaning = DiskCleaning(diskStorage, progress: progress)
            cleaning.announce()
            beginBatches()
            runBatches(of: cleaning) { [self] in
                postDidClean(removed: cleaning.removedNames)
                handler()
                endBatches()
            }
        }
    }

    /// Runs a batch now, and each further one as a block of its own at the end of the queue.
    private func runBatches(of cleaning: DiskCleaning, then handler: @escaping @Sendable () -> Void) {
        guard !isClearing else { return clearing.cleans.append { [self] in runBatches(of: cleaning, then: handler) } }
        guard cleaning.runBatch() else { return handler() }
        ioQueue.async { [self] in runBatches(of: cleaning, then: handler) }
    }

    /// Runs `body` in its turn on the I/O queue. If the folder is being taken over from Kingfisher, runs it after that, without
    /// blocking loads and stores meanwhile.
    func onceAdopted(_ body: @escaping @Sendable () -> Void) {
        ioQueue.async { [self] in
            guard diskStorage.store.condition.isSearching else { return body() }
            diskStorage.store.onceAdopted { [ioQueue] in ioQueue.async(execute: body) }
        }
    }

    /// On the I/O queue.
    var isClearing: Bool { clearing.count > 0 }

    /// Runs `body` once earlier clears, and earlier removals and cleans in batches, have finished. On the I/O queue.
    func onceRemoved(_ body: @escaping @Sendable () -> Void) {
        if clearing.isIdle { body() } else { clearing.waiting.append(body) }
    }

    /// A removal begins that lets other calls run between its batches. On the I/O queue.
    func beginBatches() { clearing.batchedCount += 1 }

    /// On the I/O queue.
    func endBatches() {
        clearing.batchedCount -= 1
        clearing.takeReady().forEach { $0() }
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
        clearing.count += 1
        stopTrimming()
        // A queue of its own, because no clear waits for the one before.
        DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.clear", qos: .utility).async { [self] in
            try? remove()
            ioQueue.async { [self] in endClearing(then: handler) }
        }
    }

    private func endClearing(then handler: @Sendable () -> Void) {
        handler()
        clearing.count -= 1
        guard !isClearing else { return }
        let limits = diskStorage.config.limits
        if !limits.isUnlimited { beginTrimming(to: limits) }
        clearing.takeReady().forEach { $0() }
    }
}

/// The clears of the disk, and the removals and cleans in batches, that are under way.
struct DiskClearing {
    fileprivate var count = 0
    fileprivate var batchedCount = 0
    /// Cleans that go on after the clears.
    fileprivate var cleans: [@Sendable () -> Void] = []
    /// Calls that come after all of these.
    fileprivate var waiting: [@Sendable () -> Void] = []

    fileprivate var isIdle: Bool { count == 0 && batchedCount == 0 }

    /// Removes and returns what need not wait any longer.
    fileprivate mutating func takeReady() -> [@Sendable () -> Void] {
        guard count == 0 else { return [] }
        let ready = cleans + (isIdle ? waiting : [])
        cleans = []
        if isIdle { waiting = [] }
        return ready
    }
}
