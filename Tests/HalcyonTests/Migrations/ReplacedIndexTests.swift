import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Another process repeatedly sets the index aside and creates a new one.
@Suite struct ReplacedIndexTests {
    @Test func `while another process replaces the index, calls get answers and no errors`() async throws {
        let cache = try CacheFixture()
        for seed in 0..<40 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        cache.settle()
        let (user, other) = (cache.makeStorage(), cache.makeStorage())
        let (isDone, rounds) = (Locked(false), Locked(0))
        let errors: Locked<[String: Int]> = Locked([:])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    rounds.withLock { $0 += 1 }
                    do {
                        _ = try user.totalSize()
                        _ = try user.value(forKey: "3")
                        try user.store(value: .blob(7), forKey: "7")
                    } catch {
                        errors.withLock { $0["\(error)", default: 0] += 1 }
                    }
                    await Task.yield()
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    // At most once per call, as if by accident.
                    let before = rounds.withLock { $0 }
                    while rounds.withLock({ $0 }) == before { await Task.yield() }
                    try? other.store.index.files.setAside(as: other.store.index.files.damaged)
                    _ = try? other.totalSize()
                    other.store.housekeepingWait()
                }
                isDone.withLock { $0 = true }
            }
        }
        #expect(errors.withLock { $0 } == [:])
        cache.settle()
        for seed in 0..<40 { #expect(try user.value(forKey: "\(seed)") == .blob(seed), "\(seed)") }
    }
}
