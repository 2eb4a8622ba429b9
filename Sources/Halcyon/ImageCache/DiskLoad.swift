internal import Foundation

/// One read and one decoding, for all who ask for the same at the same time.
final class DiskLoad: @unchecked Sendable {
    // Sendable because its variables are touched under the lock of `CallOrder` alone.

    /// Whose image is read.
    struct Blob {
        let key: MemoryKey
        let name: BlobName
    }

    /// One who asks.
    final class Member: Sendable {
        let baseKey: String
        let options: KingfisherParsedOptionsInfo
        let entersMemory: Bool
        let handler: @Sendable (ImageCache.DiskImage) -> Void

        init(
            baseKey: String, options: KingfisherParsedOptionsInfo, entersMemory: Bool,
            handler: @escaping @Sendable (ImageCache.DiskImage) -> Void
        ) {
            self.baseKey = baseKey
            self.options = options
            self.entersMemory = entersMemory
            self.handler = handler
        }
    }

    let blob: Blob
    /// The key without the processor's identifier.
    let baseKey: String
    let source: CallOrder.Source
    var members: [Member]
    /// What has begun is not taken back.
    var hasBegun = false
    /// Whether no change of the key has been called since. Only then may it be joined, and may what it reads get into memory.
    var isCurrent = true

    init(of blob: Blob, from source: CallOrder.Source, for member: Member) {
        self.blob = blob
        self.source = source
        baseKey = member.baseKey
        members = [member]
    }

    func isJoined(by member: Member, of blob: Blob) -> Bool {
        guard let first = members.first, self.blob.name == blob.name else { return false }
        return first.options.makesSameImage(as: member.options)
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether the same bytes become the same image.
    fileprivate func makesSameImage(as other: KingfisherParsedOptionsInfo) -> Bool {
        imageCreatingOptions == other.imageCreatingOptions && backgroundDecode == other.backgroundDecode
            && cacheSerializer.decodesAlike(other.cacheSerializer)
    }
}

extension CacheSerializer {
    /// Of two values of a type that is not ours nobody knows.
    fileprivate func decodesAlike(_ other: any CacheSerializer) -> Bool {
        if isBuiltIn, other.isBuiltIn { return true }
        return Self.self is AnyClass && self as AnyObject === other as AnyObject
    }

    /// All of these decode with the protocol's own function.
    private var isBuiltIn: Bool { self is DefaultCacheSerializer || self is FormatIndicatedCacheSerializer }
}
