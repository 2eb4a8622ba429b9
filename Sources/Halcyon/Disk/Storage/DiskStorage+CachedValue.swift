public import Foundation

/// Values together with information about them.
extension DiskStorage.Backend {
    /// Returns the value under a key with information about its entry, as of one moment: the validators belong to these bytes.
    ///
    /// Otherwise like ``value(forKey:forcedExtension:extendingExpiration:)``, and also nil while the index cannot be read.
    ///
    /// - Complexity: reads a few rows and one file.
    public func cachedValue(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
    ) throws -> DiskStorage.CachedValue<T>? {
        try cachedValue(
            blobName(forKey: key, forcedExtension: forcedExtension), forKey: key,
            extendingExpiration: extendingExpiration, origin: KeyOrigin(baseKey: key))
    }

    /// - Parameter origin: the image that the entry is a variant of.
    func cachedValue(
        _ name: BlobName, forKey key: String, extendingExpiration: ExpirationExtending,
        origin: @autoclosure () -> KeyOrigin
    ) throws -> DiskStorage.CachedValue<T>? {
        try cached(
            name, forKey: key, extendingExpiration: extendingExpiration, origin: origin(), store.blobs.read,
            value: T.fromData)
    }

    /// Opens the blob under a key for reading, and returns it with information about its entry. Later changes of the entry do not
    /// affect what you read: the bytes stay until you close the handle.
    ///
    /// Use it to answer a request without copying the bytes into memory (`sendfile`, `FileHandle.read(upToCount:)`). The handle
    /// closes when it is released. Each handle uses one of the process's file descriptors.
    ///
    /// Counts as a read of the whole blob. Otherwise like ``cachedValue(forKey:forcedExtension:extendingExpiration:)``.
    public func fileHandle(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
    ) throws -> DiskStorage.CachedValue<FileHandle>? {
        try cached(
            blobName(forKey: key, forcedExtension: forcedExtension), forKey: key,
            extendingExpiration: extendingExpiration, origin: KeyOrigin(baseKey: key)
        ) { path, isAccepted in
            try store.blobs.open(path, accepting: isAccepted).map {
                FileHandle(fileDescriptor: $0.file, closeOnDealloc: true)
            }
        } value: {
            $0
        }
    }

    /// As ``cachedValue(forKey:forcedExtension:extendingExpiration:)``, without counting a hit or a miss, noting an access or reporting an
    /// error: the first lookup has done that. nil also if the value cannot be read.
    func peek(_ name: BlobName) -> DiskStorage.CachedValue<T>? {
        try? store.findWithRecord(name, at: store.environment.now()) { try store.blobs.read($0, accepting: $1) }
            .map { .init(value: try T.fromData($0.content), info: info($1)) }
    }

    private func cached<Content, Value: Sendable>(
        _ name: BlobName, forKey key: String, extendingExpiration: ExpirationExtending,
        origin: @autoclosure () -> KeyOrigin, _ probe: EntryStore.Probe<Content>, value: (Content) throws -> Value
    ) throws -> DiskStorage.CachedValue<Value>? {
        try requireReadiness()
        return try loading(name) {
            let found = try store.valueAndRecord(
                of: name, key: key, origin: origin(), at: store.environment.now(), extending: extendingExpiration, probe
            )
            return try found.map { content, record in .init(value: try value(content), info: info(record)) }
        }
    }
}
