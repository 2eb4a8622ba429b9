internal import Foundation

/// A row with everything that is known of it.
package struct EntryRecord: Sendable {
    package var entry: Entry
    package var hits: Int64
    package var slack: Int64
    package var tags: [String] = []
    package var validators: DiskStorage.HTTPValidators?
    package var metadata: [String: String] = [:]

    /// Takes over what an earlier row of the same blob knew. Merged again, it is the same.
    mutating func merge(_ former: EntryRecord) {
        entry.key = entry.key ?? former.entry.key
        entry.createdAt = former.entry.createdAt
        entry.accessedAt = max(entry.accessedAt, former.entry.accessedAt)
        entry.isPinned = entry.isPinned || former.entry.isPinned
        entry.slack = former.slack
        if let end = entry.lifetime.expiresAt, former.entry.lifetime.expiresAt.map({ $0 > end }) ?? true {
            entry.lifetime = former.entry.lifetime
        }
        hits = max(hits, former.hits)
        tags = Array(Set(tags).union(former.tags))
        validators = validators ?? former.validators
        metadata = metadata.merging(former.metadata) { current, _ in current }
    }

    /// The key taken apart; nil where it is not known, or nobody has said which part is the image's.
    package var keyParts: (base: String, processor: String)? {
        guard let key = entry.key, let baseLength = entry.baseLength else { return nil }
        return KeyOrigin.parts(of: key, baseLength: baseLength)
    }
}
