import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct BootIdentifierTests {
    @Test func `a sandbox that hides the boot's name leaves the time it began`() {
        let name = BootIdentifier.identifier
        #expect(name("boot", 5, "x") == "boot")
        #expect(name(nil, 5, "x") == name("", 5, "y"))
        #expect(name(nil, 5, "x") != name(nil, 6, "x"))
    }

    @Test func `where nothing can be known each process takes the machine for restarted`() {
        let name = BootIdentifier.identifier
        #expect(name(nil, nil, "x") != name(nil, nil, "y"))
    }

    @Test func `this machine has one`() {
        #expect(BootIdentifier.current == BootIdentifier.current && !BootIdentifier.current.hasPrefix("unknown"))
    }

    @Test func `what was stored just before an opening that knows nothing is not trusted`() throws {
        try withCache { cache in
            cache.environment.boot = { "unknown \(UUID().uuidString)" }
            try cache.storage.store(value: .blob(1), forKey: "old")
            cache.clock.advance(by: 3_600)
            try cache.storage.store(value: .blob(2), forKey: "new")
            cache.reopen()
            #expect(try cache.storage.value(forKey: "old") == .blob(1))
            // It may not have got to the disk.
            #expect(try cache.storage.value(forKey: "new") == nil)
        }
    }
}
