internal import Foundation

/// A row with everything that is known of it.
package struct EntryRecord: Sendable {
    package var entry: Entry
    package var hits: Int64
    package var slack: Int64
    package var tags: [String] = []
    package var validators: DiskStorage.HTTPValidators?
    package var metadata: [String: String] = [:]

    /// The key taken apart; nil where it is not known, or nobody has said which part is the image's.
    package var keyParts: (base: String, processor: String)? {
        guard let key = entry.key, let baseLength = entry.baseLength else { return nil }
        return KeyOrigin.parts(of: key, baseLength: baseLength)
    }
}
