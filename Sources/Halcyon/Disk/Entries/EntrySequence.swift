internal import Dispatch

extension DiskStorage {
    /// Entries, read a page at a time: see ``Backend/allEntries(matching:sortedBy:descending:)``.
    public struct EntrySequence: AsyncSequence, Sendable {
        let page: @Sendable (EntryCursor?) throws -> EntryPage

        /// Where a loop over the entries is.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let page: @Sendable (EntryCursor?) throws -> EntryPage
            private var waiting: ArraySlice<EntryInfo> = []
            private var next: EntryCursor?
            private var isLast = false

            fileprivate init(page: @escaping @Sendable (EntryCursor?) throws -> EntryPage) { self.page = page }

            /// The next entry; nil behind the last one. Reads a page of 256 on a thread of the system when the one before is used up.
            ///
            /// - Throws: `CancellationError` in a cancelled task; ``KingfisherError`` if the index cannot be read.
            public mutating func next() async throws -> EntryInfo? {
                try Task.checkCancellation()
                if waiting.isEmpty, !isLast {
                    let page = try await read()
                    waiting = page.entries[...]
                    next = page.next
                    isLast = page.next == nil
                }
                return waiting.popFirst()
            }

            /// Not on the threads of async code, which are few and must not wait for a disk.
            private func read() async throws -> EntryPage {
                let (page, cursor) = (page, next)
                return try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try page(cursor) }) }
                }
            }
        }

        /// Begins at the first entry, each time anew.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(page: page) }
    }
}
