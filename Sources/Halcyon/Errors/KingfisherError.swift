public import Foundation

/// The errors of the cache.
///
/// The cases are Kingfisher's, so that code that switches over them compiles unchanged. Descriptions contain no keys or data,
/// because keys are often URLs with tokens in them.
public enum KingfisherError: LocalizedError, CustomNSError, CustomStringConvertible, CustomDebugStringConvertible {
    /// A failure of the cache. Codes 3001 to 3011.
    case cacheError(reason: CacheErrorReason)
    /// A failure of an image processor.
    case processorError(reason: ProcessorErrorReason)

    /// The reason of a cache failure. If a case has an `error`, that is the cause: a ``CacheStorageError`` if the file system or
    /// the index failed. Its description contains no key or data either.
    public enum CacheErrorReason: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        /// A directory cannot be listed. For source compatibility: the cache never throws it. Code 3001.
        case fileEnumeratorCreationFailed(url: URL)
        /// The listing of a directory contains an item that is not a file. The cache never throws it. Code 3002.
        case invalidFileEnumeratorContent(url: URL)
        /// The metadata of a blob, or of the whole directory, cannot be read or changed. Code 3003.
        case invalidURLResource(error: any Error, key: String, url: URL)
        /// A blob exists but cannot be read, or its bytes are not a value. Code 3004.
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        /// The cache's directory cannot be created or used. Code 3005.
        case cannotCreateDirectory(path: String, error: any Error)
        /// A requested image is not in the cache. The cache never throws it: a miss is ``ImageCacheResult/none`` or nil. Code 3006.
        case imageNotExisting(key: String)
        /// A value cannot be converted to bytes. Code 3007.
        case cannotConvertToData(object: any Sendable, error: any Error)
        /// An image cannot be serialized. Code 3008.
        case cannotSerializeImage(image: KFCrossPlatformImage?, original: Data?, serializer: any CacheSerializer)
        /// A value cannot be written. The old value is still there. Code 3009.
        case cannotCreateCacheFile(fileURL: URL, key: String, data: Data, error: any Error)
        /// A blob's attributes cannot be set. The cache never throws it. Code 3010.
        case cannotSetCacheFileAttribute(
            filePath: String, attributes: [FileAttributeKey: any Sendable], error: any Error)
        /// The cache's directory could not be created together with the storage. Code 3011.
        case diskStorageIsNotReady(cacheURL: URL)
    }

    /// The reason of a processor failure.
    public enum ProcessorErrorReason: Sendable {
        /// A processor could not make an image from its input. The cache never throws it. Code 4001.
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
    }

    /// `com.onevcat.Kingfisher.Error`, as in Kingfisher.
    public static let domain = "com.onevcat.Kingfisher.Error"
    public static var errorDomain: String { domain }

    public var errorCode: Int { facts.code }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: facts.text] }

    public var errorDescription: String? { facts.text }
    public var description: String { "\(facts.text) (code \(facts.code))" }
    public var debugDescription: String { description }

    private var facts: (code: Int, text: String) {
        switch self {
        case .cacheError(let reason): reason.facts
        case .processorError(.processingFailed(let processor, _)):
            (4001, "The processor “\(processor.identifier)” could not make an image from its input.")
        }
    }
}

extension KingfisherError.CacheErrorReason {
    fileprivate var facts: (code: Int, text: String) {
        switch self {
        case .fileEnumeratorCreationFailed(let url): (3001, "Cannot list the directory \(url.path).")
        case .invalidFileEnumeratorContent(let url): (3002, "The listing of the directory \(url.path) cannot be read.")
        case .invalidURLResource(let error, _, let url):
            (3003, "Cannot read or change what is cached \(place(url)). \(text(error))")
        case .cannotLoadDataFromDisk(let url, let error):
            (3004, "Cannot load the cached file \(place(url)). \(text(error))")
        case .cannotCreateDirectory(let path, let error):
            (3005, "Cannot create or use the cache directory \(path). \(text(error))")
        case .imageNotExisting: (3006, "The image is not in the cache.")
        case .cannotConvertToData(_, let error): (3007, "Cannot turn the value into data. \(text(error))")
        case .cannotSerializeImage: (3008, "Cannot serialize the image: the serializer returned no data.")
        case .cannotCreateCacheFile(let url, _, let data, let error):
            (3009, "Cannot store \(data.count) bytes \(place(url)). \(text(error))")
        case .cannotSetCacheFileAttribute(let path, _, let error):
            (3010, "Cannot set attributes of the file \(place(URL(fileURLWithPath: path))). \(text(error))")
        case .diskStorageIsNotReady(let url):
            (
                3011,
                "The disk storage is not ready: the directory \(url.path) could not be created. "
                    + "Check the permissions of its parent."
            )
        }
    }

    /// What has failed.
    public var description: String { facts.text }
    public var debugDescription: String { description }

    /// Where a file is, for people. Names that are not hashed are keys, and extensions may be parts of keys, so only the directory of
    /// such a file is named.
    private func place(_ url: URL) -> String {
        let name = url.lastPathComponent
        let isHash = BlobName.isBlobName(name, isHashed: true) && !name.contains(".")
        return isHash || url.hasDirectoryPath ? "at \(url.path)" : "in \(url.deletingLastPathComponent().path)"
    }

    private func text(_ error: any Error) -> String {
        (error as? any LocalizedError)?.errorDescription ?? (error as NSError).localizedDescription
    }
}
