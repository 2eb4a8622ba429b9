public import Foundation

/// A value that a disk storage can keep: it becomes bytes, and bytes become it again.
public protocol DataTransformable {
    /// The bytes to store. An error ends a store with ``KingfisherError/CacheErrorReason/cannotConvertToData(object:error:)``.
    func toData() throws -> Data
    /// The value of stored bytes. An error ends a load with
    /// ``KingfisherError/CacheErrorReason/cannotLoadDataFromDisk(url:error:)``.
    static func fromData(_ data: Data) throws -> Self
    /// A cheap placeholder for "exists, not loaded".
    static var empty: Self { get }
}

extension Data: DataTransformable {
    public func toData() throws -> Data { self }
    public static func fromData(_ data: Data) throws -> Data { data }
    public static var empty: Data { Data() }
}
