extension DiskStorage {
    /// A value and information about its entry, as of one moment.
    public struct CachedValue<Value: Sendable>: Sendable {
        /// The stored value.
        public let value: Value
        /// The information before this read. ``EntryInfo/hits``, ``EntryInfo/lastAccess`` and the expirations that reads have moved
        /// may lack the last ten seconds.
        public let info: EntryInfo
    }
}
