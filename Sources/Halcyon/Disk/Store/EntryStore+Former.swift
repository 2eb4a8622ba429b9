/// The name that a key had before its volume was known to fold names: entries are found under it, and get today's with their next store.
extension EntryStore {
    /// Gives the row under a former name today's, in the transaction of the store that overwrites it: pin and tags stay. Its blob goes.
    func takeOver(
        _ former: BlobName, by request: StoreRequest, in session: IndexSession
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        guard let entry = try session.entry(named: former) else { return nil }
        if !request.overwriting { try refuse(entry, try blobs.status(of: former)) }
        let isReplaced = try session.entry(named: request.name) != nil
        let waste = try remover.trash(former, in: session, keepingRow: !isReplaced)
        if !isReplaced { try session.rename(entry, to: request.name, key: storable(request.key)) }
        return waste
    }
}
