/// The name that a key had before its volume was known to fold names: entries are found under it, and get today's with their next store.
extension EntryStore {
    /// Gives the row under a former name today's, in the transaction of the store that overwrites it: pin and tags stay. Its blob goes.
    func takeOver(
        _ former: BlobName, by request: StoreRequest, in session: IndexSession
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        guard let entry = try session.entry(named: former) else { return nil }
        if !request.overwriting { try refuse(entry, try blobs.status(of: former)) }
        let isReplaced = try session.entry(named: request.name) != nil
        let waste = try trash(former, in: session, keepingRow: !isReplaced)
        if !isReplaced { try session.rename(entry, to: request.name, key: storable(request.key)) }
        return waste
    }

    /// Whether what is under a name may go with its row. Where the volume folds names it may be another row's blob.
    func isOwn(_ file: FileStatus, _ name: BlobName, of entry: Entry?) throws -> Bool {
        guard blobs.isAmbiguous(name) else { return true }
        guard let entry else { return try condition.adopts(file, named: name) && blobs.isListed(name) }
        return isBlob(of: entry, file)
    }

    /// Whether a file that was listed has a row: under its name, or under the one that the volume takes for the same. A store over a
    /// file leaves it the name that it was made with.
    func hasRow(_ name: BlobName, in session: IndexSession) throws -> Bool {
        if try session.entry(named: name) != nil { return true }
        guard let folded = name.folded, blobs.foldsNames, let entry = try session.entry(named: folded) else {
            return false
        }
        return try blobs.status(of: name).map { isBlob(of: entry, $0) } ?? false
    }
}
