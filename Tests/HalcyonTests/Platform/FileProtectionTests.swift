import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The calls that set a file's protection; Linux has none.
@Suite struct FileProtectionTests {
    @Test func `each option maps to a protection`() {
        func text(_ options: Data.WritingOptions) -> String? { FileProtectionType(options)?.rawValue }
        #expect(text(.noFileProtection) == FileProtectionType.none.rawValue)
        #expect(text(.completeFileProtection) == FileProtectionType.complete.rawValue)
        #expect(text(.completeFileProtectionUnlessOpen) == FileProtectionType.completeUnlessOpen.rawValue)
        #expect(
            text(.completeFileProtectionUntilFirstUserAuthentication)
                == FileProtectionType.completeUntilFirstUserAuthentication.rawValue)
        #expect(text([.atomic, .completeFileProtection]) == FileProtectionType.complete.rawValue)
    }

    @Test func `without an option, no protection is set`() throws {
        #expect(FileProtectionType([.atomic, .withoutOverwriting]) == nil)
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", writeOptions: .atomic)
            #expect(cache.fileSystem.calls(of: .protect) == 0)
        }
    }

    @Test func `a file is protected before its first byte is written`() throws {
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

    @Test func `a refused protection fails the store, and the old value stays`() throws {
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
