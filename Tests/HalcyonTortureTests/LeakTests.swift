import Testing

@testable import HalcyonTorture

/// The usage of a process before and after it has opened a cache ten thousand times.
@Suite struct LeakTests {
    private let before = Leaks.Usage(descriptors: 9, threads: 6, residentKiB: 30_000, sqliteBytes: 0)

    @Test func `unchanged usage is not a leak, nor is what a thread pool keeps`() {
        #expect(before.violations(since: before) == [])
        let busier = Leaks.Usage(descriptors: 9, threads: 14, residentKiB: 32_000, sqliteBytes: 0)
        #expect(busier.violations(since: before) == [])
    }

    @Test func `a descriptor, statement, thread or memory that each reopening leaks is found`() {
        let leaky = [
            Leaks.Usage(descriptors: 10, threads: 6, residentKiB: 30_000, sqliteBytes: 0),
            Leaks.Usage(descriptors: 9, threads: 6, residentKiB: 30_000, sqliteBytes: 4_096),
            Leaks.Usage(descriptors: 9, threads: 10_006, residentKiB: 30_000, sqliteBytes: 0),
            // One KiB per reopening.
            Leaks.Usage(descriptors: 9, threads: 6, residentKiB: 40_000, sqliteBytes: 0),
        ]
        for after in leaky { #expect(after.violations(since: before).map(\.kind) == [.grown]) }
    }
}
