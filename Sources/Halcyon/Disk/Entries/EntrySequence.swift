extension DiskStorage {
    /// Entries, read a few at a time: see ``Backend/allEntries(matching:sortedBy:descending:)``.
    public struct EntrySequence: AsyncSequence, Sendable {
        /// Reads the next few entries.
        let read: Read

        /// - Parameter ids: the entries that are left; nil to look for them.
        /// - Returns: those of the next few that still match, and the ids of the entries after them.
        typealias Read =
            @Sendable (_ ids: ArraySlice<Int64>?) throws -> (entries: ArraySlice<EntryInfo>, rest: ArraySlice<Int64>)

        /// The position of a loop over the entries.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let read: Read
            fileprivate var ids: ArraySlice<Int64>?
            fileprivate var waiting: ArraySlice<EntryInfo> = []

            /// The next entry; nil after the last one. Reads 256 at a time, on a thread of the system.
            ///
            /// - Throws: `CancellationError` in a cancelled task; ``KingfisherError`` if the index cannot be read.
            public mutating func next() async throws -> EntryInfo? {
                try Task.checkCancellation()
                while waiting.isEmpty, ids?.isEmpty != true {
                    (waiting, ids) = try await BlockingCalls.queries.run { [read, ids] in try read(ids) }
                }
                return waiting.popFirst()
            }
        }

        /// Begins at the first entry. Each iterator runs the query again.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }
    }
}
