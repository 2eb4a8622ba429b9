public import Foundation

/// A value that a disk storage can convert to bytes and back.
public protocol DataTransformable: SendableMetatype {
    /// Returns the bytes to store. If it throws, the store fails with
    /// ``KingfisherError/CacheErrorReason/cannotConvertToData(object:error:)``.
    func toData() throws -> Data
    /// Returns the value of stored bytes. If it throws, the load fails with
    /// ``KingfisherError/CacheErrorReason/cannotLoadDataFromDisk(url:error:)``.
    static func fromData(_ data: Data) throws -> Self
    /// An empty value. Kingfisher's protocol requires it; the cache does not use it.
    static var empty: Self { get }
}

extension Data: DataTransformable {
    public func toData() throws -> Data { self }
    public static func fromData(_ data: Data) throws -> Data { data }
    public static var empty: Data { Data() }
}
