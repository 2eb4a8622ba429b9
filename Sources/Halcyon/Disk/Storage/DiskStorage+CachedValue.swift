public import Foundation

/// Values together with what is known of them.
extension DiskStorage.Backend {
    /// The value under a key and what is known of its entry, as of one moment: the validators are those that these bytes came with.
    ///
    /// As ``value(forKey:forcedExtension:extendingExpiration:)`` otherwise, and nil also while the index cannot be read.
    ///
    /// - Complexity: some rows and one file.
    public func cachedValue(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
    ) throws -> DiskStorage.CachedValue<T>? {
        try cachedValue(
            forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration,
            origin: KeyOrigin(baseKey: key))
    }

    /// - Parameter origin: which image the entry is a variant of.
    func cachedValue(
        forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending,
        origin: @autoclosure () -> KeyOrigin
    ) throws -> DiskStorage.CachedValue<T>? {
        try cached(
            forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration, origin: origin(),
            byteCount: { Int64($0.count) }
        ) { [blobs = store.blobs] in
            try blobs.read($0, accepting: $1)
        } value: {
            try T.fromData($0)
        }
    }

    /// The open blob under a key, for reading, and what is known of its entry. What happens to the entry does not change what you
    /// read: its bytes stay until the handle is closed.
    ///
    /// Use it to answer a request without a copy of the bytes in memory (`sendfile`, `FileHandle.read(upToCount:)`). The handle closes
    /// when it is released. Each takes one of the process's descriptors.
    ///
    /// Counts as a read of the whole blob. As ``cachedValue(forKey:forcedExtension:extendingExpiration:)`` otherwise.
    public func fileHandle(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
    ) throws -> DiskStorage.CachedValue<FileHandle>? {
        try cached(
            forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration,
            origin: KeyOrigin(baseKey: key), byteCount: { $0.status.size },
            discarding: { [fileSystem = store.blobs.fileSystem] in fileSystem.close($0.file) }
        ) { [blobs = store.blobs] in
            try blobs.open($0, accepting: $1)
        } value: {
            FileHandle(fileDescriptor: $0.file, closeOnDealloc: true)
        }
    }

    private func cached<Content, Value: Sendable>(
        forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending,
        origin: @autoclosure () -> KeyOrigin, byteCount: (Content) -> Int64,
        discarding discard: (Content) -> Void = { _ in },
        _ probe: EntryStore.Probe<Content>, value: (Content) throws -> Value
    ) throws -> DiskStorage.CachedValue<Value>? {
        try requireReadiness()
        let name = blobName(forKey: key, forcedExtension: forcedExtension)
        do {
            let found = try store.valueAndRecord(
                of: name, key: key, origin: origin(), at: store.environment.now(),
                extending: extendingExpiration, byteCount: byteCount, discarding: discard, probe)
            return try found.map { content, record in .init(value: try value(content), info: info(record)) }
        } catch {
            throw loadError(error, url: url(of: name))
        }
    }
}
