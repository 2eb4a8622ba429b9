/// The result of a store.
public struct CacheStoreResult: Sendable {
    /// Storing in memory cannot fail.
    public let memoryCacheResult: Result<(), Never> = .success(())
    /// Also a success if nothing was to be stored on disk.
    public let diskCacheResult: Result<(), KingfisherError>
}
