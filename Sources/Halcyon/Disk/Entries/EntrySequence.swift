internal import Dispatch

extension DiskStorage {
    /// Entries, read a few at a time: see ``Backend/allEntries(matching:sortedBy:descending:)``.
    public struct EntrySequence: AsyncSequence, Sendable {
        let makeReader: @Sendable () -> EntryReader

        /// The position of a loop over the entries.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private var reader: EntryReader
            private var waiting: ArraySlice<EntryInfo> = []
            private var isLast = false

            fileprivate init(_ reader: EntryReader) { self.reader = reader }

            /// The next entry; nil after the last one. Reads 256 at a time, on a thread of the system.
            ///
            /// - Throws: `CancellationError` in a cancelled task; ``KingfisherError`` if the index cannot be read.
            public mutating func next() async throws -> EntryInfo? {
                try Task.checkCancellation()
                while waiting.isEmpty, !isLast {
                    let entries = try await read()
                    waiting = (entries ?? [])[...]
                    isLast = entries == nil
                }
                return waiting.popFirst()
            }

            /// Does not use the threads of async code, which are few and must not wait for a disk.
            private mutating func read() async throws -> [EntryInfo]? {
                let reader = reader
                let (entries, next) = try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue.global(qos: .utility).async {
                        continuation.resume(
                            with: Result {
                                var reader = reader
                                return (try reader.next(), reader)
                            })
                    }
                }
                self.reader = next
                return entries
            }
        }

        /// Begins at the first entry. Each iterator looks for the entries anew.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(makeReader()) }
    }

    /// Finds the ids of all matching entries, then reads a few entries at a time.
    struct EntryReader: Sendable {
        let findIDs: @Sendable () throws -> [Int64]
        let readEntries: @Sendable (ArraySlice<Int64>) throws -> [EntryInfo]
        private var ids: ArraySlice<Int64>?

        init(
            findIDs: @escaping @Sendable () throws -> [Int64],
            readEntries: @escaping @Sendable (ArraySlice<Int64>) throws -> [EntryInfo]
        ) {
            self.findIDs = findIDs
            self.readEntries = readEntries
        }

        /// Returns the next few entries; an empty array if all of those no longer match; nil after the last one.
        mutating func next() throws -> [EntryInfo]? {
            let ids = try self.ids ?? findIDs()[...]
            guard !ids.isEmpty else { return nil }
            let entries = try readEntries(ids.prefix(256))
            self.ids = ids.dropFirst(256)
            return entries
        }
    }
}
