import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct BootIdentifierTests {
    private func same(_ left: (String?, Int64?), _ right: (String?, Int64?)) -> Bool {
        let name = BootIdentifier.identifier
        return BootIdentifier.isSame(name(left.0, left.1, "x"), name(right.0, right.1, "y"))
    }

    @Test func `an identifier distinguishes boots, or their start time if a sandbox hides it`() {
        #expect(same(("boot", 5), ("boot", 500)) && !same(("boot", 5), ("other", 5)))
        #expect(same((nil, 1_000), (nil, 1_000)) && same((nil, 1_000), ("boot", 1_000)))
        // Small corrections of the clock, unlike settings by the user.
        #expect(same((nil, 1_000), (nil, 1_001)) && same(("", 1_030), (nil, 1_000)))
        #expect(!same((nil, 1_000), (nil, 1_031)) && !same(("boot", nil), (nil, 1_000)))
        #expect(!same((nil, .min), (nil, 1_000)) && !same((nil, .max), (nil, -1_000)))
        // As version 0.1.0 recorded it.
        #expect(BootIdentifier.isSame("boot", BootIdentifier.identifier(session: "boot", startTime: 5, unknown: "")))
    }

    @Test func `without an identifier and a start time, each process assumes a restart`() {
        let name = BootIdentifier.identifier
        #expect(name(nil, nil, "x") != name(nil, nil, "y"))
        #expect(!same((nil, nil), (nil, nil)) && !same((nil, nil), (nil, 5)))
    }

    @Test func `this machine has a boot identifier`() {
        #expect(!BootIdentifier.current.hasPrefix("unknown") && BootIdentifier.current.contains(" began at "))
    }

    #if !canImport(Darwin)
        @Test func `a file that is mounted over the kernel's identifier does not count`() throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("boot_id")
            try Data("5f3a9c\n".utf8).write(to: file)
            #expect(BootIdentifier.session(at: file.path, in: folder.url.path) == "5f3a9c")
            #expect(BootIdentifier.session(at: file.path) == nil)
        }
    #endif

    @Test func `without a boot identifier, an opening does not trust recent entries`() throws {
        try withCache { cache in
            cache.environment.boot = { "unknown \(UUID().uuidString)" }
            try cache.storage.store(value: .blob(1), forKey: "old")
            cache.clock.advance(by: 3_600)
            try cache.storage.store(value: .blob(2), forKey: "new")
            cache.reopen()
            #expect(try cache.storage.value(forKey: "old") == .blob(1))
            // The blob may not have reached the disk.
            #expect(try cache.storage.value(forKey: "new") == nil)
        }
    }
}
