/// One read and one decoding, shared by all callers that load the same image at the same time.
final class DiskLoad: @unchecked Sendable {
    // Sendable because its variables are accessed only under the lock of `CallOrder`.

    /// The blob to read.
    struct Blob {
        let key: MemoryKey
        let name: BlobName
        /// The image's key, without the processor's identifier.
        let baseKey: String
    }

    /// One caller of the load.
    final class Member: Sendable {
        let options: KingfisherParsedOptionsInfo
        let entersMemory: Bool
        let handler: @Sendable (ImageCache.DiskImage) -> Void

        init(
            options: KingfisherParsedOptionsInfo, entersMemory: Bool,
            handler: @escaping @Sendable (ImageCache.DiskImage) -> Void
        ) {
            self.options = options
            self.entersMemory = entersMemory
            self.handler = handler
        }

        /// False if it is loaded on its caller's thread.
        var waits: Bool { !options.loadDiskFileSynchronously }
    }

    let blob: Blob
    let source: CallOrder.Source
    var members: [Member]
    /// A load that has begun cannot be withdrawn.
    var hasBegun = false
    /// Whether the image may enter memory: no change of the key has been called since the load, and no change of all keys has begun or
    /// ended.
    var isCurrent = true

    init(of blob: Blob, from source: CallOrder.Source, for member: Member) {
        self.blob = blob
        self.source = source
        members = [member]
    }

    /// A load on its caller's thread answers no other caller.
    func isJoined(by member: Member, of blob: Blob) -> Bool {
        guard let first = members.first, first.waits, member.waits, self.blob.name == blob.name else { return false }
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
    /// Two values of a custom type may decode differently, so only the same object counts.
    fileprivate func decodesAlike(_ other: any CacheSerializer) -> Bool {
        if isBuiltIn, other.isBuiltIn { return true }
        return Self.self is AnyClass && self as AnyObject === other as AnyObject
    }

    /// These all decode alike.
    private var isBuiltIn: Bool { self is DefaultCacheSerializer || self is FormatIndicatedCacheSerializer }
}
