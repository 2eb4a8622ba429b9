import Foundation
import Halcyon
import Testing

/// Expirations, and types of values. The switches have no default, because a new case would break apps.
@Suite struct StorageVocabularyTests {
    static func name(of expiration: StorageExpiration) -> String {
        switch expiration {
        case .never: "never"
        case .seconds(let seconds): "\(seconds) s"
        case .days(let days): "\(days) days"
        case .date(let date): "until \(date.timeIntervalSince1970)"
        case .expired: "expired"
        }
    }

    static func name(of extending: ExpirationExtending) -> String {
        switch extending {
        case .none: "none"
        case .cacheTime: "cache time"
        case .expirationTime(let expiration): name(of: expiration)
        }
    }

    @Test func `there are five kinds of expiration`() {
        let all: [StorageExpiration] = [
            .never, .seconds(1.5), .days(2), .date(Date(timeIntervalSince1970: 3)), .expired,
        ]
        #expect(all.map(Self.name) == ["never", "1.5 s", "2 days", "until 3.0", "expired"])
    }

    @Test func `there are three ways to extend an expiration`() {
        let all: [ExpirationExtending] = [.none, .cacheTime, .expirationTime(.never)]
        #expect(all.map(Self.name) == ["none", "cache time", "never"])
    }

    @Test func `data is stored unchanged`() throws {
        let data = Data([1, 2, 3])
        #expect(try data.toData() == data)
        #expect(try Data.fromData(data) == data)
        #expect(Data.empty.isEmpty)
        func isTransformable(_: some DataTransformable) -> Bool { true }
        #expect(isTransformable(data))
    }

    @Test func `an app's own value can be kept in memory and on disk`() async throws {
        let memory = MemoryStorage.Backend<Profile>(config: MemoryStorage.Config(totalCostLimit: 0))
        memory.store(value: Profile(name: "Ann"), forKey: "a")
        #expect(memory.value(forKey: "a") == Profile(name: "Ann") && memory.totalCacheCost() == 3)

        try await withStorage(of: Profile.self) { disk in
            try disk.store(value: Profile(name: "Ann"), forKey: "a")
            #expect(try disk.value(forKey: "a") == Profile(name: "Ann"))
            #expect(try Data(contentsOf: disk.cacheFileURL(forKey: "a")) == Data("Ann".utf8))
        }
    }

    @Test func `a store throws if the value cannot be encoded`() async throws {
        try await withStorage(of: Profile.self) { storage in
            let thrown = #expect(throws: KingfisherError.self) { try storage.store(value: .empty, forKey: "a") }
            guard case .cacheError(reason: .cannotConvertToData(let object, let error)) = thrown else {
                Issue.record("another error: \(String(describing: thrown))")
                return
            }
            #expect(object as? Profile == .empty && error is Profile.Damaged)
        }
    }

    @Test func `a load throws if the bytes cannot be decoded`() async throws {
        try await withStorage { bytes in
            try bytes.store(value: Data([0xFF]), forKey: "a")
            let config = DiskStorage.Config(
                name: "client", sizeLimit: 0, directory: bytes.directoryURL.deletingLastPathComponent())
            let profiles = try DiskStorage.Backend<Profile>(config: config)
            let thrown = #expect(throws: KingfisherError.self) { try profiles.value(forKey: "a") }
            guard case .cacheError(reason: .cannotLoadDataFromDisk(let url, let error)) = thrown else {
                Issue.record("another error: \(String(describing: thrown))")
                return
            }
            #expect(url == profiles.cacheFileURL(forKey: "a") && error is Profile.Damaged)
        }
    }
}
