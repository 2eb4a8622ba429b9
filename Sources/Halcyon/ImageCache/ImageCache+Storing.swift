internal import Foundation
internal import HalcyonSQLite

extension ImageCache {
    /// Stores in memory and on disk, as one change: of two stores of a key, both keep the same one.
    ///
    /// - Parameter isWanted: for a fetched image; see ``store(_:ifWanted:memory:)``.
    func storeInBoth(
        _ image: KFCrossPlatformImage, original: Data?, as blob: DiskLoad.Blob, options: KingfisherParsedOptionsInfo,
        attributes: DiskStorage.EntryAttributes, ifWanted isWanted: ((Int) -> Bool)? = nil,
        report: @escaping StoreCall.Report
    ) {
        let serializer = options.cacheSerializer
        store(
            StoreCall(
                content: .unserialized { [diskStorage] in
                    if let data = serializer.data(with: image, original: original) { return .success(data) }
                    diskStorage.note(CacheStorageError.notSerialized)
                    return .failure(
                        .cacheError(
                            reason: .cannotSerializeImage(image: image, original: original, serializer: serializer)))
                },
                blob: blob, expiration: options.diskCacheExpiration,
                writeOptions: options.diskStoreWriteOptions, attributes: attributes, isFetched: isWanted != nil,
                report: report),
            ifWanted: isWanted ?? { _ in true }
        ) { [self] in keepInMemory(image, as: blob.key, options) }
    }

    /// - Parameters:
    ///   - isWanted: see ``CallOrder/begin(_:storing:ifWanted:memory:enqueue:)``. If it returns false, nothing is stored or reported.
    ///   - memory: changes memory; see ``CallOrder/change(_:ifWanted:_:)``. Required if `isWanted` may return false.
    func store(
        _ call: StoreCall, ifWanted isWanted: (Int) -> Bool = { _ in true }, memory: (() -> Any?)? = nil
    ) {
        var call = call
        let expiration = call.expiration ?? diskStorage.config.expiration
        // The configuration of the call, not that of its turn.
        call.expiration = expiration
        let store = PendingStore(call)
        let enqueue = { [self] in ioQueue.async(store: store) { [self] in perform($0) } }
        // The image of a fetch under way must not replace it in memory, even if it cannot be stored on disk.
        let change = memory.map { memory in
            { [flights] in
                if !call.isFetched { flights.forget(store.blob.name) }
                return memory()
            }
        }
        // Entries that have already expired are not stored, so loads keep finding the old entry.
        guard expiration.isExpired else {
            return order.begin(store.blob, storing: store, ifWanted: isWanted, memory: change) { _ in enqueue() }
        }
        guard let change else { return enqueue() }
        order.change(store.blob, ifWanted: isWanted) {
            let displaced = change()
            enqueue()
            return displaced
        }
    }

    /// An image that has already expired is not kept, but still removes the one it replaces.
    ///
    /// - Returns: the displaced object.
    func keepInMemory(
        _ image: KFCrossPlatformImage, as key: MemoryKey, _ options: KingfisherParsedOptionsInfo
    ) -> Any? {
        memoryStorage.storeNoThrow(
            value: image, forKey: key.text, expiration: options.memoryCacheExpiration, removesOld: true)
    }
}

// On the I/O queue, and on the one for work ahead of it.
extension ImageCache {
    /// A call whose turn has come.
    private struct CurrentCall {
        let store: PendingStore
        /// nil if the entry has already expired and is not stored.
        let request: Result<EntryStore.StoreRequest?, KingfisherError>

        /// The request to the disk storage.
        var storing: EntryStore.StoreRequest? { try? request.get() }
    }

    /// The bounds of one batch. The first store's handler waits for the whole batch, and limits are enforced after it.
    private static let (bytesTogether, millisecondsTogether) = (1 << 20, 5)

    private struct Batch {
        let calls: [CurrentCall]
        let groups: [EntryStore.StagedGroup]
    }

    /// Performs a run of stores. While one batch commits, another thread serializes and stages the next one.
    private func perform(_ run: Locked<[PendingStore]>) {
        var next = stageBatch(of: run)
        while let batch = next {
            guard run.withLock({ !$0.isEmpty }) else { return store(batch) }
            next = ioQueue.during({ [self] in stageBatch(of: run) }, { store(batch) }) ?? nil
        }
    }

    private func store(_ batch: Batch) {
        var results = diskStorage.commit(batch.groups)[...]
        let outcomes = batch.calls.map { call in
            call.request.flatMap { request in
                request.map { request in results.removeFirst().map { request } } ?? .success(nil)
            }
        }
        keepLimits(afterStoring: outcomes.compactMap { try? $0.get() }.map { ($0.name, $0.data.count) })
        for (call, outcome) in zip(batch.calls, outcomes) {
            order.end(call.store, isStored: (try? outcome.get()) != nil)
            call.store.call.report(outcome.map { _ in })
            // Not after all stores of the run.
            ioQueue.beginNested()
        }
    }

    /// - Parameter run: the calls in reverse order. Those of the batch are removed, to release them after it.
    private func stageBatch(of run: Locked<[PendingStore]>) -> Batch? {
        let calls = takeBatch(of: run)
        return calls.isEmpty ? nil : Batch(calls: calls, groups: diskStorage.store.stage(calls.compactMap(\.storing)))
    }

    private func takeBatch(of run: Locked<[PendingStore]>) -> [CurrentCall] {
        let deadline = MonotonicTime.now.adding(milliseconds: Self.millisecondsTogether)
        var (batch, bytes) = ([CurrentCall](), 0)
        while let store = run.withLock({ $0.popLast() }) {
            let one = CurrentCall(store: store, request: request(for: store))
            batch.append(one)
            bytes += one.storing?.data.count ?? 0
            if batch.count == diskStorage.store.environment.tuning.storeBatchSize || bytes >= Self.bytesTogether
                || MonotonicTime.now >= deadline
            {
                break
            }
        }
        return batch
    }

    private func request(for store: PendingStore) -> Result<EntryStore.StoreRequest?, KingfisherError> {
        store.bytes().flatMap { data in
            diskResult {
                let call = store.call
                var request = try diskStorage.request(
                    toStore: data, forKey: store.blob.key.text, named: store.blob.name,
                    origin: KeyOrigin(baseKey: call.blob.baseKey), expiration: call.expiration,
                    writeOptions: call.writeOptions, attributes: call.attributes)
                // Not the answer of its flight, which may have ended. Removals have their turn in the same queue.
                if call.isFetched { request?.isWanted = { true } }
                return request
            }
        }
    }

    func diskResult<Success>(_ body: () throws -> Success) -> Result<Success, KingfisherError> {
        Result(catching: body).mapError { error in
            // The disk storage throws no other errors.
            (error as? KingfisherError)
                ?? .cacheError(reason: .invalidURLResource(error: error, key: "", url: diskStorage.directoryURL))
        }
    }

    func measureDisk(then handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void) {
        onceAdopted { [self] in
            // If it still has to adopt files, stores must not wait for that.
            onceRemoved { [self] in handler(diskResult { try LockTimeout.briefly { try diskStorage.totalSize() } }) }
        }
    }
}
