extension DiskStorage {
    /// What a cache takes up.
    public struct Usage: Sendable, Hashable {
        /// All entries, with the bytes of their blobs.
        public let total: Totals
        /// Bytes that the volume has set aside for the blobs: whole blocks. Of entries of older versions their sizes alone.
        public let allocatedBytes: Int64
        /// Bytes of the index's file, and of the log beside it. No part of ``total``, and not counted by the size limit.
        public let indexBytes, logBytes: Int64
        /// Entries that are never evicted. Part of ``total``.
        public let pinned: Totals
        /// Entries that have expired, and go with the next clean. Part of ``total``.
        public let expired: Totals
        /// Bytes that the volume has left; nil where it does not say.
        public let freeBytes: Int64?
        /// What evicting everything that is not pinned would leave beyond the limits; nil where that keeps them. Then cleaning
        /// evicts all it may, and no more: unpin something, or raise the limits.
        public let pinnedExcess: Totals?
    }
}
