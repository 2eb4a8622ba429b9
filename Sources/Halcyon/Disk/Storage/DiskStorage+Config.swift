public import Foundation

extension DiskStorage {
    /// What a disk storage keeps, for how long, and under which names.
    ///
    /// You may assign ``DiskStorage/Backend/config`` on any thread; it applies to the next operation. The name and the directory
    /// are fixed when the storage is created.
    public struct Config: @unchecked Sendable {
        // Sendable because `fileManager`, the only member that is not, only locates and creates directories, which is safe anywhere.

        /// The number of bytes at which ``DiskStorage/Backend/removeSizeExceededValues()`` evicts; 0 for no limit.
        public var sizeLimit: UInt
        /// The number of entries beyond which ``DiskStorage/Backend/removeSizeExceededValues()`` evicts; 0, the default, for no limit.
        public var countLimit: Int = 0
        /// Bytes that should be free on the volume; 0, the default, for no limit. If less is free, entries are evicted until an
        /// eighth more than that is. Purgeable space does not count as free.
        public var keepFreeBytes: UInt = 0
        /// The fraction of ``sizeLimit`` and ``countLimit`` that an eviction leaves, from 0 to 1; by default a half. A larger
        /// fraction keeps more and evicts more often.
        public var lowWaterRatio: Double = 0.5
        /// Which entries an eviction removes first; by default the least recently used.
        ///
        /// Applies to the reads of this process. Set it alike in all storages of a process on the directory: the last assignment counts.
        public var evictionOrder: EvictionOrder = .leastRecentlyUsed
        /// Whether the index stores keys as text; true by default. If false, it stores only hashes. Lookups still work, and an
        /// image's variants are found, but lists show file names, and no entry matches a condition on keys. The cache removes
        /// keys stored before in the background: at once if it is open, otherwise after the next opening. Set it alike in all
        /// processes that use the directory. Within a process, false in one storage on the directory counts for all.
        ///
        /// Text removed from the index is overwritten there (`secure_delete`). It leaves the write-ahead log when the log restarts
        /// or the cache is closed.
        public var storesKeys: Bool = true
        /// Receives an event for what any storage of this process does in the cache directory: hits, misses, stores, removals,
        /// evictions, expirations, repairs of the index, waits for its lock, and errors. nil by default.
        ///
        /// Called on the thread of the operation, before the call returns, so it has to be quick. Waits and repairs are reported
        /// soon after, on a thread of the cache. No lock is held, so it may call the storage.
        public var observer: (@Sendable (DiskStorage.Event) -> Void)?
        /// Whether ``observer`` gets the keys, which often are URLs with tokens in them; false by default.
        public var observesKeys: Bool = false
        /// How long a value lives unless its store says otherwise; by default a week.
        public var expiration: StorageExpiration = .days(7)
        /// Whether reads leave expirations as they are. By default false: a read restarts the time to live.
        ///
        /// Applies to later stores. ``EntryAttributes/keepsExpiration`` overrides it for a single entry.
        public var keepsExpiration: Bool = false
        /// Seconds between two cleans by the ``ImageCache`` that the storage belongs to; by default ten minutes. There are none if
        /// it is 0, negative or not finite. They neither open a closed index nor bring back a directory that was deleted. A storage
        /// without an ``ImageCache`` cleans only when you tell it to.
        public var cleanInterval: TimeInterval = 600
        /// Appended to every file name after a dot, unless a call has its own extension; nil by default.
        public var pathExtension: String?
        /// Whether a blob's file name is the lower-case hexadecimal SHA-256 of its key (true, the default) or the key itself.
        ///
        /// A key that cannot be a file name (with a slash, a leading dot, more than 255 bytes …) is hashed in any case. On volumes
        /// that ignore case, like those of macOS, so is a key with a capital letter, or one that is not ASCII.
        ///
        /// If it is false, keys with the same file name are one entry, as in Kingfisher: `photo` with the extension `png` and
        /// `photo.png`, or a key that has to be hashed and its hash.
        public var usesHashedFileName: Bool = true
        /// Whether a hashed file name gets the extension that its key suggests: the characters after the last dot before the first
        /// `@` that is not at the beginning, if they are 1 to 20 letters or digits. False by default.
        public var autoExtAfterHashedFileName: Bool = false
        /// Makes the URL of the cache directory from its parent's and `com.onevcat.Kingfisher.ImageCache.` plus the cache's name.
        /// By default it appends the second to the first. Released after its first use.
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = { directory, name in
            directory.appendingPathComponent(name, isDirectory: true)
        }
        /// Part of the directory's name.
        public let name: String

        let fileManager: FileManager
        let directory: URL?

        /// Creates a configuration with the defaults of all other members.
        ///
        /// - Parameters:
        ///   - name: distinguishes this cache from others.
        ///   - sizeLimit: in bytes; 0 for no limit.
        ///   - fileManager: locates the Caches directory, and creates the parents of the cache directory.
        ///   - directory: the parent of the cache directory; nil for the user's Caches directory.
        public init(name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.fileManager = fileManager
            self.directory = directory
        }
    }
}

extension DiskStorage.Config {
    /// Returns the cache directory, and releases ``cachePathBlock``.
    @_spi(HalcyonTool) public mutating func takeFolder() -> URL {
        let parent = directory ?? cachesFolder
        let folderName = "com.onevcat.Kingfisher.ImageCache.\(name)"
        defer { cachePathBlock = nil }
        return cachePathBlock?(parent, folderName) ?? parent.appendingPathComponent(folderName, isDirectory: true)
    }

    private var cachesFolder: URL {
        fileManager.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? fileManager.temporaryDirectory.appendingPathComponent("Caches", isDirectory: true)
    }

    /// The members that determine the names of blobs.
    var naming: BlobNaming {
        BlobNaming(
            isHashed: usesHashedFileName, pathExtension: pathExtension,
            suggestsExtension: usesHashedFileName && autoExtAfterHashedFileName)
    }

    /// When and how much is evicted.
    @_spi(HalcyonTool) public var limits: StorageLimits {
        StorageLimits(
            bytes: Int64(clamping: sizeLimit), entries: Int64(countLimit), freeBytes: Int64(clamping: keepFreeBytes),
            lowWater: lowWaterRatio)
    }
}
