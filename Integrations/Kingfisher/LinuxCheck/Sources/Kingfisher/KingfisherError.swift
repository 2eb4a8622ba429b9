public import Foundation
public import Halcyon

public enum KingfisherError: LocalizedError, CustomNSError {
    case cacheError(reason: CacheErrorReason)
    case processorError(reason: ProcessorErrorReason)

    // Unchecked because two cases carry values of any type.
    public enum CacheErrorReason: @unchecked Sendable {
        case fileEnumeratorCreationFailed(url: URL)
        case invalidFileEnumeratorContent(url: URL)
        case invalidURLResource(error: any Error, key: String, url: URL)
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        case cannotCreateDirectory(path: String, error: any Error)
        case imageNotExisting(key: String)
        case cannotConvertToData(object: Any, error: any Error)
        case cannotSerializeImage(image: KFCrossPlatformImage?, original: Data?, serializer: any CacheSerializer)
        case cannotCreateCacheFile(fileURL: URL, key: String, data: Data, error: any Error)
        case cannotSetCacheFileAttribute(filePath: String, attributes: [FileAttributeKey: Any], error: any Error)
        case diskStorageIsNotReady(cacheURL: URL)
    }

    public enum ProcessorErrorReason: Sendable {
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
    }

    public var errorCode: Int {
        switch self {
        case .cacheError(let reason):
            switch reason {
            case .fileEnumeratorCreationFailed: 3001
            case .invalidFileEnumeratorContent: 3002
            case .invalidURLResource: 3003
            case .cannotLoadDataFromDisk: 3004
            case .cannotCreateDirectory: 3005
            case .imageNotExisting: 3006
            case .cannotConvertToData: 3007
            case .cannotSerializeImage: 3008
            case .cannotCreateCacheFile: 3009
            case .cannotSetCacheFileAttribute: 3010
            case .diskStorageIsNotReady: 3011
            }
        case .processorError: 4001
        }
    }
}
