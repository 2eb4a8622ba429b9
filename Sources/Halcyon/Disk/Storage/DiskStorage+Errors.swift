internal import Foundation

/// The errors that callers get. The observer gets each too.
extension DiskStorage.Backend {
    /// - Parameters:
    ///   - key: the key that `body` is about; empty for the whole cache.
    ///   - url: of the key's blob; nil for the directory.
    func mappingErrors<Result>(
        of key: String = "", at url: @autoclosure () -> URL? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            let (error, url) = (note(error), url() ?? directoryURL)
            throw KingfisherError.cacheError(reason: .invalidURLResource(error: error, key: key, url: url))
        }
    }

    /// For a `body` that reads the blob of a name.
    func loading<Result>(_ name: BlobName, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw loadError(error, name)
        }
    }

    func loadError(_ error: any Error, _ name: BlobName) -> KingfisherError {
        let failure = note(CacheStorageError(loading: error))
        let cause: any Error = error is SystemError ? failure : error
        return .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: name), error: cause))
    }

    func fileError(_ error: any Error, _ request: EntryStore.StoreRequest) -> KingfisherError {
        .cacheError(
            reason: .cannotCreateCacheFile(
                fileURL: url(of: request.name), key: request.key, data: request.data, error: note(error)))
    }

    /// For a call that returns no error: nil if `body` throws. Then the observer gets the failure, unless the cache is suspended.
    func noting<Result>(_ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            if CacheStorageError(error).code != .suspended { note(error) }
            return nil
        }
    }

    @discardableResult
    func note(_ error: any Error) -> CacheStorageError {
        let error = CacheStorageError(error)
        store.observers.tell(.init(kind: .failure, count: 0, error: error))
        return error
    }
}

/// The error of a caller's closure, which the cache passes on as it is.
final class CallerError {
    private(set) var error: (any Error)?

    func noting<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            self.error = error
            throw error
        }
    }
}
