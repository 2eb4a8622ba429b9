extension DiskStorage {
    /// How much space a cache takes up.
    public struct Usage: Sendable, Hashable {
        /// All entries, and the bytes of their blobs.
        public let total: Totals
        /// Bytes that the volume has allocated for the blobs, in whole blocks. For entries of older versions, their sizes.
        public let allocatedBytes: Int64
        /// Bytes of the index file, and of its log. Not part of ``total``, and not counted by the size limit.
        public let indexBytes, logBytes: Int64
        /// Entries that are never evicted. Part of ``total``.
        public let pinned: Totals
        /// Entries that have expired, and that the next clean removes. Part of ``total``.
        public let expired: Totals
        /// Bytes that the volume has left; nil if it does not report them.
        public let freeBytes: Int64?
        /// How far pinned entries alone exceed the limits; nil if they do not. If they do, cleaning evicts all other entries and
        /// the cache stays over its limits: unpin something, or raise the limits.
        public let pinnedExcess: Totals?
    }
}
