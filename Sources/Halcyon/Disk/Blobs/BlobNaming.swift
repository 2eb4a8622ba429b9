internal import Foundation

/// How blobs are named. Smaller than the configuration, which nobody has to copy for a lookup.
struct BlobNaming {
    let isHashed: Bool
    let pathExtension: String?
    /// Where nobody gives one, from the key.
    let suggestsExtension: Bool

    func name(forKey key: String, forcedExtension: String?, isFolding: @autoclosure () -> Bool = false) -> BlobName {
        BlobName(
            key: key, isHashed: isHashed,
            pathExtension: forcedExtension ?? pathExtension ?? suggestedExtension(of: key), isFolding: isFolding())
    }

    private func suggestedExtension(of key: String) -> String? {
        suggestsExtension ? BlobName.suggestedExtension(ofKey: key) : nil
    }
}
