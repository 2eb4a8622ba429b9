import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// File protection, as the calls that set it see it: Linux has none.
@Suite struct FileProtectionTests {
    @Test func `an option names a protection`() {
        #expect(FileProtection(.noFileProtection) == FileProtection.none)
        #expect(FileProtection(.completeFileProtection) == .complete)
        #expect(FileProtection(.completeFileProtectionUnlessOpen) == .unlessOpen)
        #expect(FileProtection(.completeFileProtectionUntilFirstUserAuthentication) == .untilFirstUnlock)
        #expect(FileProtection([.atomic, .completeFileProtection]) == .complete)
    }

    @Test func `nothing is asked for without an option`() throws {
        #expect(FileProtection([.atomic, .withoutOverwriting]) == nil)
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", writeOptions: .atomic)
            #expect(cache.fileSystem.calls(of: .protect) == 0)
        }
    }

    @Test func `a file is protected before it has a byte`() throws {
        try withCache { cache in
            _ = cache.storage
            let sizes = Locked([Int?]())
            cache.fileSystem.observe { call, path in
                guard call == .protect else { return }
                let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                sizes.withLock { $0.append(size) }
            }
            try cache.storage.store(value: .blob(1), forKey: "a", writeOptions: .completeFileProtection)
            #expect(sizes.withLock { $0 } == [0])
        }
    }

    @Test func `a protection that is refused fails the store, and what was there stays`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.fileSystem.fail(.protect, EPERM)
            let error = try #require(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(2), forKey: "a", writeOptions: .completeFileProtection)
            }
            #expect(error.cause?.errnoCode == EPERM)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.names(in: "staging") == [])
        }
    }
}
