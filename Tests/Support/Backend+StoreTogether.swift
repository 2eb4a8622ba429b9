package import Foundation
@_spi(HalcyonTool) package import Halcyon

extension DiskStorage.Backend<Data> {
    /// Like several calls of `store(value:forKey:expiration:writeOptions:forcedExtension:)` that share a commit.
    package func storeTogether(_ values: [(key: String, value: Data)]) throws -> [Result<(), KingfisherError>] {
        let requests = try values.compactMap { key, value in
            try request(
                toStore: value, forKey: key, named: blobName(forKey: key, forcedExtension: nil),
                origin: KeyOrigin(baseKey: key), expiration: .days(9), writeOptions: [], attributes: .init())
        }
        return commit(store.stage(requests))
    }
}
