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
            beginBatches()
            goOn(cleaning) { [self] in
                postDidClean(removed: cleaning.removedNames)
                handler()
                endBatches()
            }
        }
    }

    /// Runs a batch now, and each further one as a block of its own at the end of the queue.
    private func goOn(_ cleaning: DiskCleaning, then handler: @escaping @Sendable () -> Void) {
        guard !isClearing else { return clearing.cleans.append { [self] in goOn(cleaning, then: handler) } }
        guard cleaning.runBatch() else { return handler() }
        ioQueue.async { [self] in goOn(cleaning, then: handler) }
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
        order.beginWideRemoval { number in
            ioQueue.async { [self] in
                // The handler cannot report an error. Loads find again what could not be removed, and the next clean removes it.
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
        let underWay = clearing.underWay
        underWay.enter()
        stopTrimming()
        DispatchQueue.global(qos: .utility).async { [self] in
            try? remove()
            underWay.leave()
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
    /// Empty while no clear removes anything.
    let underWay = DispatchGroup()
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

// MARK: The limits

/// The eviction that follows stores.
struct DiskTrim {
    fileprivate var cleaning: DiskCleaning?
    fileprivate var target = Totals(entries: .max, bytes: .max)
    /// Totals that the last eviction could not get below because of pinned entries or blobs that cannot be removed.
    fileprivate var floor: Totals?
}

// On the I/O queue.
extension ImageCache {
    /// An entry that was just stored.
    struct Stored {
        let name: BlobName
        let bytes: Int
    }

    /// Evicts if stores have exceeded a limit.
    ///
    /// While an eviction is under way, each store also runs one of its batches, so that a run of stores cannot outpace it.
    func keepLimits(afterStoring stored: [Stored]) {
        let limits = diskStorage.config.limits
        guard !limits.isUnlimited else { return }
        // Before the eviction, which would remove all other entries to make room for these.
        let tooLarge = Set(stored.filter { limits.bytes > 0 && $0.bytes > limits.bytes }.map(\.name))
        let goneCount = tooLarge.filter { remove($0, ifLargerThan: limits.bytes) }.count
        // Entries that are being cleared are no reason to evict later ones.
        guard !isClearing else { return }
        for _ in 0..<stored.count - goneCount {
            beginTrimming(to: limits)
            guard trim.cleaning != nil else { return }
            trimBatch()
        }
    }

    /// Entries that are being cleared need no eviction, and entries stored later must not be evicted in their place.
    fileprivate func stopTrimming() {
        guard let cleaning = trim.cleaning else { return }
        trim.cleaning = nil
        postDidClean(removed: cleaning.removedNames)
    }

    private func beginTrimming(to limits: StorageLimits) {
        guard trim.cleaning == nil, let target = target(of: limits) else { return }
        trim.target = target
        trim.cleaning = DiskCleaning(diskStorage, downTo: target)
        ioQueue.async { [self] in continueTrimming() }
    }

    /// An entry larger than the whole limit would evict all others and then itself.
    ///
    /// - Returns: whether it was removed. If it cannot be removed now, the next clean retries.
    private func remove(_ name: BlobName, ifLargerThan limit: Int64) -> Bool {
        guard (try? diskStorage.store.remove(name, ifLargerThan: limit)) == true else { return false }
        postDidClean(removed: [name.text])
        return true
    }

    /// If the last eviction could not reach its target, waits until the totals have grown by an eighth of a limit. Otherwise
    /// every store at the limit would search in vain.
    private func target(of limits: StorageLimits) -> Totals? {
        guard let totals = try? diskStorage.totals(adopting: false) else { return nil }
        if let floor = trim.floor {
            let step = limits.step
            guard totals.bytes > floor.bytes + step.bytes || totals.entries > floor.entries + step.entries else {
                // Entries removed since then did not block the eviction.
                trim.floor = Totals(
                    entries: min(floor.entries, totals.entries), bytes: min(floor.bytes, totals.bytes))
                return nil
            }
        }
        // A store may fill the cache exactly to its limit; a clean makes room from there on.
        return try? diskStorage.store.evictor.target(of: limits, adopting: false, tolerating: 1)
    }

    private func continueTrimming() {
        trimBatch()
        guard trim.cleaning != nil else { return }
        ioQueue.async { [self] in continueTrimming() }
    }

    private func trimBatch() {
        guard let cleaning = trim.cleaning, !cleaning.runBatch() else { return }
        trim.cleaning = nil
        // If this fails, the next store checks again.
        let left = try? diskStorage.totals(adopting: false)
        trim.floor = left.flatMap { $0.bytes > trim.target.bytes || $0.entries > trim.target.entries ? $0 : nil }
        postDidClean(removed: cleaning.removedNames)
    }
}
