public import Foundation

extension ImageCache {
    /// As ``cleanExpiredDiskCache(completion:)``, to be watched and cancelled.
    ///
    /// - Parameters:
    ///   - progress: counts bytes: `totalUnitCount` is set when the clean begins, `completedUnitCount` after each batch; they
    ///     are equal when it has ended by itself. Cancelling it ends the clean after the batch under way; what is gone then
    ///     is gone, and the rest as it was.
    ///   - handler: called on the main queue once the clean has ended, cancelled or not.
    public func cleanExpiredDiskCache(progress: Progress, completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(progress: progress) { CallbackQueue.mainAsync.call(handler) }
    }

    /// As ``cleanExpiredDiskCache(progress:completion:)``; a cancelled task cancels the progress too.
    public func cleanExpiredDiskCache(progress: Progress) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cleanDisk(progress: progress) { continuation.resume() }
            }
        } onCancel: {
            progress.cancel()
        }
    }

    /// One at a time: while the disk is slow, or a long clean goes on, a short interval must not pile up cleans.
    func cleanByTimer() {
        let isCleaning = isCleaningByTimer.withLock { isCleaning in
            defer { isCleaning = true }
            return isCleaning
        }
        guard !isCleaning else { return }
        cleanDisk(progress: nil) { [isCleaningByTimer] in isCleaningByTimer.withLock { $0 = false } }
    }

    func cleanDisk(progress: Progress?, then handler: @escaping @Sendable () -> Void) {
        onceAdopted { [self] in
            let cleaning = DiskCleaning(diskStorage, progress: progress)
            cleaning.announce()
            goOn(cleaning) { [self] in
                postDidClean(removed: cleaning.removedNames)
                handler()
            }
        }
    }

    /// A batch now, and the others as blocks of their own behind what is waiting.
    private func goOn(_ cleaning: DiskCleaning, then handler: @escaping @Sendable () -> Void) {
        guard !isClearing else { return clearing.waiting.append { [self] in goOn(cleaning, then: handler) } }
        guard cleaning.runBatch() else { return handler() }
        ioQueue.async { [self] in goOn(cleaning, then: handler) }
    }

    /// Runs `body` in its turn on the I/O queue. Should the folder be one of Kingfisher's that is being taken over, then behind
    /// that: it is done elsewhere, so that others can load and store meanwhile.
    func onceAdopted(_ body: @escaping @Sendable () -> Void) {
        ioQueue.async { [self] in
            guard diskStorage.store.condition.isSearching else { return body() }
            diskStorage.store.onceAdopted { [ioQueue] in ioQueue.async(execute: body) }
        }
    }

    /// On the I/O queue.
    var isClearing: Bool { clearing.count > 0 }

    /// Runs `body` as soon as what has been cleared is gone: nobody is to measure what nobody can find. On the I/O queue.
    func onceCleared(_ body: @escaping @Sendable () -> Void) {
        if isClearing { clearing.waiting.append(body) } else { body() }
    }

    /// In its turn all that is there becomes a miss; it goes elsewhere, so that others can load and store meanwhile.
    func clearDisk(then handler: @escaping @Sendable () -> Void) {
        order.beginWideRemoval { number in
            ioQueue.async { [self] in
                // The handler has no place for an error; what could not be removed is found again, and goes with the next clean.
                let remove = try? diskStorage.beginRemovingAll()
                order.endWideRemoval(number)
                remove.map { clear($0, then: handler) } ?? handler()
            }
        }
    }

    private func clear(
        _ remove: @escaping @Sendable () throws -> Void, then handler: @escaping @Sendable () -> Void
    ) {
        clearing.count += 1
        stopTrimming()
        DispatchQueue.global(qos: .utility).async { [self] in
            try? remove()
            ioQueue.async { [self] in endClearing(then: handler) }
        }
    }

    private func endClearing(then handler: @Sendable () -> Void) {
        handler()
        clearing.count -= 1
        guard !isClearing else { return }
        let waiting = clearing.waiting
        clearing.waiting = []
        let limits = diskStorage.config.limits
        if !limits.isUnlimited { beginTrimming(to: limits) }
        waiting.forEach { $0() }
    }
}

/// The clears of the disk that are under way.
struct DiskClearing {
    fileprivate var count = 0
    fileprivate var waiting: [@Sendable () -> Void] = []
}

// MARK: The limits

/// The eviction that follows stores.
struct DiskTrim {
    fileprivate var cleaning: DiskCleaning?
    fileprivate var target = Totals(entries: .max, bytes: .max)
    /// What the last one could not get below: pinned entries, blobs that cannot be removed.
    fileprivate var floor: Totals?
}

// On the I/O queue.
extension ImageCache {
    /// What was stored just now.
    struct Stored {
        let name: BlobName
        let bytes: Int
    }

    /// Evicts when stores have gone over a limit.
    ///
    /// While an eviction is under way each store does a batch of it too, so that stores in a row cannot outrun it.
    func keepLimits(afterStoring stored: [Stored]) {
        let limits = diskStorage.config.limits
        guard !limits.isUnlimited else { return }
        // First: an eviction would take everything else for them.
        let tooLarge = Set(stored.filter { limits.bytes > 0 && $0.bytes > limits.bytes }.map(\.name))
        let goneCount = tooLarge.filter { remove($0, ifLargerThan: limits.bytes) }.count
        // What is being cleared is no reason to evict what came later.
        guard !isClearing else { return }
        for _ in 0..<stored.count - goneCount {
            beginTrimming(to: limits)
            guard trim.cleaning != nil else { return }
            trimBatch()
        }
    }

    /// What is being cleared need not be evicted, and what is stored behind it must not be in its place.
    fileprivate func stopTrimming() {
        guard let cleaning = trim.cleaning else { return }
        trim.cleaning = nil
        postDidClean(removed: cleaning.removedNames)
    }

    private func beginTrimming(to limits: StorageLimits) {
        guard trim.cleaning == nil, let target = target(of: limits) else { return }
        trim.target = target
        trim.cleaning = DiskCleaning(diskStorage, downTo: target)
        ioQueue.async { [self] in goOnTrimming() }
    }

    /// What is larger than the whole limit would push out everything else and then itself.
    ///
    /// - Returns: whether it went. If it cannot be removed now it is the next clean's.
    private func remove(_ name: BlobName, ifLargerThan limit: Int64) -> Bool {
        guard (try? diskStorage.store.remove(name, ifLargerThan: limit)) == true else { return false }
        postDidClean(removed: [name.text])
        return true
    }

    /// What the last eviction could not get below counts only an eighth of a limit later again: otherwise every store at
    /// the edge would search for what is not there.
    private func target(of limits: StorageLimits) -> Totals? {
        guard let totals = try? diskStorage.totals(adopting: false) else { return nil }
        if let floor = trim.floor {
            let step = limits.step
            guard totals.bytes > floor.bytes + step.bytes || totals.entries > floor.entries + step.entries else {
                // Whatever went since was not in the way.
                trim.floor = Totals(
                    entries: min(floor.entries, totals.entries), bytes: min(floor.bytes, totals.bytes))
                return nil
            }
        }
        // A store may fill the cache to the last byte; a clean makes room from there on.
        return try? diskStorage.store.evictor.target(of: limits, adopting: false, tolerating: 1)
    }

    private func goOnTrimming() {
        trimBatch()
        guard trim.cleaning != nil else { return }
        ioQueue.async { [self] in goOnTrimming() }
    }

    private func trimBatch() {
        guard let cleaning = trim.cleaning, !cleaning.runBatch() else { return }
        trim.cleaning = nil
        // Unknown: then the next store asks again.
        let left = try? diskStorage.totals(adopting: false)
        trim.floor = left.flatMap { $0.bytes > trim.target.bytes || $0.entries > trim.target.entries ? $0 : nil }
        postDidClean(removed: cleaning.removedNames)
    }
}
