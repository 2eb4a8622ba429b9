/// The progress of adopting a directory that had no index.
public struct AdoptionProgress: Sendable, Equatable {
    /// The number of files examined so far.
    public internal(set) var files: Int
    /// The number of files at the beginning. Grows if others have been added since: never less than ``files``.
    public let total: Int

    init(files: Int, of total: Int) {
        self.files = files
        self.total = max(files, total)
    }

    func advanced(by count: Int) -> AdoptionProgress { AdoptionProgress(files: files + count, of: total) }
}

extension DiskStorage.Backend {
    /// The progress of the adoption of a directory that had no index. You need not wait for it: lookups find files before they are entries.
    ///
    /// Starts the adoption, or continues an interrupted one, if it is not under way. The sequence ends when all files are adopted;
    /// at once if that was done before, or if the index cannot be opened. A slow reader gets only the newest value.
    public var adoptionProgress: AsyncStream<AdoptionProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // First, because a sweep that finds the index closed ends the listeners.
            let isOpen = store.index.isOpen || (try? store.open()) != nil
            store.adopter.listeners.add { progress in
                if let progress { continuation.yield(progress) } else { continuation.finish() }
            }
            // Without an index nothing is adopted now, so there is nothing to wait for.
            guard isOpen, store.condition.isAdopting else { return store.adopter.listeners.finish() }
            store.housekeeping.request(.sweep)
        }
    }
}
