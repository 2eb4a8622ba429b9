/// How reading a value extends its expiration.
public enum ExpirationExtending: Sendable {
    /// The expiration does not change.
    case none
    /// The value's own duration restarts at the read.
    case cacheTime
    /// The value gets this expiration instead, counted from the read. On disk it also replaces the value's own duration for later
    /// reads; in memory it does not.
    case expirationTime(_ expiration: StorageExpiration)
}
