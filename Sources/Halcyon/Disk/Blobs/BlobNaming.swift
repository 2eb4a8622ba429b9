/// How blobs are named. Smaller than the configuration, so that a lookup need not copy that.
struct BlobNaming: Equatable {
    let isHashed: Bool
    let pathExtension: String?
    /// Whether to take the extension from the key if there is no other.
    let suggestsExtension: Bool

    func name(forKey key: String, forcedExtension: String?, isFolding: @autoclosure () -> Bool = false) -> BlobName {
        let pathExtension =
            forcedExtension ?? pathExtension ?? (suggestsExtension ? BlobName.suggestedExtension(ofKey: key) : nil)
        return BlobName(key: key, isHashed: isHashed, pathExtension: pathExtension, isFolding: isFolding())
    }
}
