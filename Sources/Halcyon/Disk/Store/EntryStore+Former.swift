/// The name that a key had before its volume was known to fold names. Entries are found under it, and get the new name with their
/// next store.
extension EntryStore {
    /// Gives the row under a former name the new name, in the transaction of the store that replaces it. Pin and tags stay; the
    /// blob does not.
    func takeOver(
        _ former: BlobName, by request: StoreRequest, in session: IndexSession
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        guard let entry = try session.entry(named: former) else { return nil }
        if !request.overwriting, try !isBeingCleared(entry, in: session) {
            try refuse(entry, try blobs.status(of: former))
        }
        let isReplaced = try session.entry(named: request.name) != nil
        let waste = try remover.trash(former, in: session, keepingRow: !isReplaced).unlink
        if !isReplaced { try session.rename(entry, to: request.name, key: storable(request.key)) }
        return waste
    }
}
