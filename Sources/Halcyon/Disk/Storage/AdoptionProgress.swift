/// How far a folder that had no index has been taken over.
public struct AdoptionProgress: Sendable, Equatable {
    /// Files that have been looked at.
    public internal(set) var files: Int
    /// Files that were in the folder when it began, and more when others have come since: never fewer than ``files``.
    public let total: Int

    init(files: Int, of total: Int) {
        self.files = files
        self.total = max(files, total)
    }

    func advanced(by count: Int) -> AdoptionProgress { AdoptionProgress(files: files + count, of: total) }
}

extension DiskStorage.Backend {
    /// Watches how files of a folder that had no index become entries. Nobody has to wait for it: lookups find a file before
    /// it is an entry.
    ///
    /// Ends when everything has been taken over, at once if that has been done before or the index cannot be opened; begins
    /// what is left if nobody has. Only the newest value is kept for one who is slow.
    public var adoptionProgress: AsyncStream<AdoptionProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            store.watchAdoption(continuation)
        }
    }
}

extension EntryStore {
    fileprivate func watchAdoption(_ continuation: AsyncStream<AdoptionProgress>.Continuation) {
        adopter.listeners.add { progress in
            if let progress { continuation.yield(progress) } else { continuation.finish() }
        }
        // An index that cannot be opened adopts nothing now: there is nothing to wait for.
        guard (try? open()) != nil else { return adopter.listeners.finish() }
        guard condition.isAdopting else { return adopter.listeners.finish() }
        housekeeping.request(.sweep)
    }
}
