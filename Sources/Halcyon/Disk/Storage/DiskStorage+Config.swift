public import Foundation

extension DiskStorage {
    /// What a disk storage keeps, for how long, and under which names.
    ///
    /// Assigning ``DiskStorage/Backend/config`` applies at the next operation, from any thread. The name and the folder
    /// are fixed when the storage is made.
    public struct Config: @unchecked Sendable {
        // Sendable because `fileManager`, the one member that is not, is only asked for folders, which is safe anywhere.

        /// Bytes of blobs from which on ``DiskStorage/Backend/removeSizeExceededValues()`` evicts; 0, no limit.
        public var sizeLimit: UInt
        /// Entries beyond which ``DiskStorage/Backend/removeSizeExceededValues()`` evicts; 0, no limit.
        public var countLimit: Int = 0
        /// Bytes that the volume should have left: below that entries are evicted, until an eighth more than that is free. 0,
        /// no such limit. What the system would purge from elsewhere is not counted as free.
        public var keepFreeBytes: UInt = 0
        /// The part of ``sizeLimit`` and ``countLimit`` that an eviction leaves, from 0 to 1. A half: the larger it is, the more
        /// is kept, and the more often something is evicted.
        public var lowWaterRatio: Double = 0.5
        /// Which entries an eviction takes first. The least recently used ones.
        ///
        /// It applies to the reads of this process. Set it alike in all storages of a process that use the folder: the one you assign last
        /// counts.
        public var evictionOrder: EvictionOrder = .leastRecentlyUsed
        /// Whether the index holds the keys as text. With false it holds hashes alone: lookups work as ever, an image's variants
        /// are found, and lists show file names; conditions on keys are met by nothing. What was kept before is taken out when the
        /// cache is opened next. Set it alike in all processes that use the folder.
        ///
        /// Text that goes from the index is overwritten there (`secure_delete`), and leaves its write-ahead log when that is
        /// begun anew or the cache is closed.
        public var storesKeys: Bool = true
        /// Told of what is done in the cache's folder by this process, whichever of its storages does it: hits, misses, stores, removals,
        /// evictions, expirations, repairs of the index, waits for its lock, and errors. Nobody.
        ///
        /// Called on the thread that does it, before the call returns, so it has to be quick; of waits and repairs from a thread of the
        /// cache's own, soon after. No lock is held: it may call the storage.
        public var observer: (@Sendable (DiskStorage.Event) -> Void)?
        /// Whether ``observer`` gets the keys, which often are addresses with tokens in them. It does not.
        public var observesKeys: Bool = false
        /// How long a value lives when its store does not say. A week.
        public var expiration: StorageExpiration = .days(7)
        /// Seconds between two cleans by the ``ImageCache`` that the storage belongs to: ten minutes. None with 0 or less, or
        /// with what is not finite. A storage of its own cleans when it is told to.
        public var cleanInterval: TimeInterval = 600
        /// Appended to every file name after a dot, when a call has no extension of its own. None.
        public var pathExtension: String?
        /// Whether a blob's file name is the lower-case hexadecimal SHA-256 of its key, or the key itself. Hashed.
        ///
        /// A key that cannot be a file name (with a slash, a leading dot, more than 255 bytes …) is hashed all the same. So is one
        /// with a capital letter, or one that is not ASCII, on volumes that do not tell upper from lower case, as those of macOS.
        public var usesHashedFileName: Bool = true
        /// Whether a hashed file name gets the extension its key suggests: what follows the last dot before the first `@`, if that
        /// is 1 to 20 letters or digits. It does not.
        public var autoExtAfterHashedFileName: Bool = false
        /// Makes the cache's folder of the parent folder and `com.onevcat.Kingfisher.ImageCache.` with the cache's name; by default
        /// it appends the one to the other. Dropped once it was used.
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = { directory, name in
            directory.appendingPathComponent(name, isDirectory: true)
        }
        /// Part of the folder's name.
        public let name: String

        let fileManager: FileManager
        let directory: URL?

        /// The defaults of all other members.
        ///
        /// - Parameters:
        ///   - name: tells this cache from others.
        ///   - sizeLimit: bytes; 0 for no limit.
        ///   - fileManager: locates the Caches folder and makes the parents of the cache's.
        ///   - directory: the parent of the cache's folder; nil for the user's Caches folder.
        public init(name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.fileManager = fileManager
            self.directory = directory
        }
    }
}

extension DiskStorage.Config {
    /// The cache's folder. Uses up ``cachePathBlock``.
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

    /// What decides on the names of blobs.
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
