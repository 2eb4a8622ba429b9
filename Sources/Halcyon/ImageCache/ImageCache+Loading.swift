internal import Foundation

extension ImageCache {
    typealias DiskImage = Result<KFCrossPlatformImage?, KingfisherError>

    /// Reads and decodes files, one per processor at a time: more would only hold more bitmaps.
    static let loads = BlockingCalls(
        name: "com.onevcat.Kingfisher.ImageCache.loadQueue", width: ProcessInfo.processInfo.activeProcessorCount)

    /// Looks in pending stores and on disk. An image it finds enters memory before the handler is called, unless a change
    /// overtakes the load.
    ///
    /// - Parameter changes: see ``CallOrder/admit(_:of:since:)``.
    /// - Returns: false if the caller must look in memory again.
    func loadIntoMemory(
        forKey key: String, options: KingfisherParsedOptionsInfo, since changes: Int?,
        then handler: @escaping @Sendable (Result<ImageCacheResult, KingfisherError>) -> Void
    ) -> Bool {
        let load = DiskLoad.Member(options: options, entersMemory: true) { result in
            handler(result.map { $0.map(ImageCacheResult.disk) ?? .none })
        }
        return begin(load, of: blob(of: key, options), since: changes)
    }

    /// - Parameter key: the key without the processor's identifier.
    func blob(of key: String, _ options: KingfisherParsedOptionsInfo) -> DiskLoad.Blob {
        blob(of: key, options.processor.identifier, options.forcedExtension)
    }

    func blob(of key: String, _ identifier: String, _ forcedExtension: String?) -> DiskLoad.Blob {
        let computed = key.computedKey(with: identifier)
        return DiskLoad.Blob(
            key: MemoryKey(computed),
            name: diskStorage.blobName(forKey: computed, forcedExtension: forcedExtension), baseKey: key)
    }

    /// Like ``loadIntoMemory(forKey:options:since:then:)``.
    @discardableResult
    func begin(_ member: DiskLoad.Member, of blob: DiskLoad.Blob, since changes: Int?) -> Bool {
        guard let (load, isNew) = order.admit(member, of: blob, since: changes) else { return false }
        LoadCancellation.onCancel(waits: member.waits) { [order] in
            order.cancel(member, of: load) ? { Self.loads.start { member.handler(.success(nil)) } } : nil
        }
        if !member.waits {
            performIfWanted(load)
        } else if isNew {
            ioQueue.afterHandler { [self] in start(load) }
        }
        return true
    }

    /// A load that waits for a store's serializer delays no other load.
    private func start(_ load: DiskLoad) {
        guard case .pending(let store) = load.source else { return enqueue(load) }
        guard !store.isSerialized else { return enqueue(load) }
        Self.loads.start { store.serialize() }
        store.onceSerialized { [self] in enqueue(load) }
    }

    private func enqueue(_ load: DiskLoad) {
        Self.loads.start { [self] in performIfWanted(load) }
    }

    private func performIfWanted(_ load: DiskLoad) {
        if let first = order.begin(load) { perform(load, for: first) }
    }

    // MARK: Reading

    /// - Parameter first: decides how to read and decode.
    private func perform(_ load: DiskLoad, for first: DiskLoad.Member) {
        let found = read(load, for: first)
        let result = found.map { image(of: $0?.content, options: first.options) }
        let members = order.end(load) { member in
            extendOnceStored(load, by: member)
            guard member.entersMemory, case .success(let image?) = result else { return nil }
            return memoryStorage.storeNoThrow(
                value: image, forKey: load.blob.key.text, expiration: member.options.memoryCacheExpiration)
        }
        if case .success(let found) = found {
            for member in members.dropFirst() { noteUse(of: load, found, by: member) }
        }
        for member in members { member.handler(result) }
    }

    /// Reads the bytes of a load, and notes the first member's use. The bytes of a pending store have no row.
    private func read(_ load: DiskLoad, for first: DiskLoad.Member) -> Result<EntryStore.Match<Data>?, KingfisherError>
    {
        var source = load.source
        while true {
            switch source {
            case .disk: return readDisk(load.blob, first.options)
            case .nothing:
                diskStorage.store.countUse(of: load.blob.key.text, bytes: nil)
                return .success(nil)
            case .pending(let store):
                if case .success(let data) = store.bytes() {
                    diskStorage.store.countUse(of: load.blob.key.text, bytes: data.count)
                    return .success(EntryStore.Match(content: data))
                }
                // What was called before the store decides.
                source = order.source(of: load.blob, waits: first.waits)
            }
        }
    }

    private func readDisk(
        _ blob: DiskLoad.Blob, _ options: KingfisherParsedOptionsInfo
    ) -> Result<EntryStore.Match<Data>?, KingfisherError> {
        diskResult {
            try diskStorage.read(
                blob.name, forKey: blob.key.text, extendingExpiration: options.diskCacheAccessExtendingExpiration,
                origin: KeyOrigin(baseKey: blob.baseKey))
        }
    }

    /// A caller that joined a load counts as a use, and extends the expiration of what was read as its own options say.
    private func noteUse(of load: DiskLoad, _ found: EntryStore.Match<Data>?, by member: DiskLoad.Member) {
        let (store, key) = (diskStorage.store, load.blob.key.text)
        guard let found else { return store.countUse(of: key, bytes: nil) }
        store.noteUse(
            of: found, load.blob.name, key: key, extending: member.options.diskCacheAccessExtendingExpiration)
    }

    /// Extends the expiration of an entry whose bytes came from its store, which may not have ended. Called under the lock of the order:
    /// a later store of the key has its turn after it.
    private func extendOnceStored(_ load: DiskLoad, by member: DiskLoad.Member) {
        let extending = member.options.diskCacheAccessExtendingExpiration
        guard case .pending = load.source, case .expirationTime = extending else { return }
        let (store, blob, now) = (diskStorage.store, load.blob, diskStorage.store.now)
        ioQueue.async {
            // A directory that was closed meanwhile stays so.
            store.index.unlessClosed {
                store.noteCountedUse(of: blob.name, key: blob.key.text, at: now, extending: extending)
            }
        }
    }

    /// Returns nil if the bytes are not an image, or if `backgroundDecode` is set and the pixels cannot be decoded.
    private func image(of data: Data?, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let data, let image = options.cacheSerializer.image(with: data, options: options) else { return nil }
        return options.backgroundDecode ? image.withScale(options.scaleFactor).decodedForDisplay() : image
    }
}
