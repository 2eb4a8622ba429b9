/// What reading a value does to its expiration.
public enum ExpirationExtending: Sendable {
    /// Nothing: it expires when it was going to.
    case none
    /// Its own duration begins again at the moment of reading.
    case cacheTime
    /// It gets this expiration instead, counted from the moment of reading.
    case expirationTime(_ expiration: StorageExpiration)
}
