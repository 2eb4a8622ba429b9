/// A row with everything that is known about it.
package struct EntryRecord: Sendable {
    package var entry: Entry
    package var hits: Int64
    package var tags: [String] = []
    package var validators: DiskStorage.HTTPValidators?
    package var metadata: [String: String] = [:]

    /// Takes over from another row what belongs to the key.
    mutating func mergeKey(of other: EntryRecord) {
        entry.key = entry.key ?? other.entry.key
        entry.origin = entry.origin ?? other.entry.origin
        entry.isPinned = entry.isPinned || other.entry.isPinned
        tags = Array(Set(tags).union(other.tags))
    }

    /// Takes over from an earlier row of the same blob what belongs to the bytes, and its token.
    mutating func mergeBlob(of former: EntryRecord) {
        entry.token = former.entry.token
        entry.createdAt = former.entry.createdAt
        entry.accessedAt = max(entry.accessedAt, former.entry.accessedAt)
        if let end = entry.lifetime.expiresAt, former.entry.lifetime.expiresAt.map({ $0 > end }) ?? true {
            entry.lifetime = former.entry.lifetime
        }
        hits += former.hits
        validators = validators ?? former.validators
        metadata = metadata.merging(former.metadata) { current, _ in current }
    }

    /// The key, split into its parts; nil if the key, or the length of its first part, is unknown.
    package var keyParts: (base: String, processor: String)? {
        guard let key = entry.key, let baseLength = entry.baseLength else { return nil }
        return KeyOrigin.parts(of: key.utf8, baseLength: baseLength).map {
            (String(Substring($0.base)), String(Substring($0.processor)))
        }
    }
}
