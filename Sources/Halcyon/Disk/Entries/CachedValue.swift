extension DiskStorage {
    /// A value and what is known of its entry, as of one moment.
    public struct CachedValue<Value: Sendable>: Sendable {
        /// What was stored.
        public let value: Value
        /// As it was before this read. ``EntryInfo/hits``, ``EntryInfo/lastAccess`` and what reads did to the expiration may lack the last
        /// ten seconds.
        public let info: EntryInfo
    }
}
