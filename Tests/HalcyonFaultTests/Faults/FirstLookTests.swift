import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The first lookup opens the index, and the work after the opening may end before the lookup does.
@Suite(.endsEvenIfItHangs) struct FirstLookTests {
    @Test func `the first lookup finds a file that is adopted at any moment during the lookup`() throws {
        // The number of reads depends on how early the adoption ends.
        let areThere = try (0..<8).map(isWaitedFor)
        #expect(areThere.contains(true))
    }

    /// Looks up a file that is not an entry yet. At one of its reads from the index, the lookup waits until the adoption has ended.
    ///
    /// - Returns: false if there are fewer reads.
    private func isWaitedFor(atRead number: Int) throws -> Bool {
        let folder = try TemporaryFolder()
        let vfs = FaultyVFS()
        defer { withExtendedLifetime(vfs) {} }
        let storage = OperationRun.storage(in: folder.url) { $0.vfs = vfs.name }
        try FileManager.default.createDirectory(at: storage.directoryURL, withIntermediateDirectories: true)
        try Data.blob(1).write(to: storage.cacheFileURL(forKey: "a"))
        let looker = pthread_self()
        let reads = Locked(0)
        vfs.observe { [weak store = storage.store] event in
            // Once the index is open, all reads of this thread belong to the lookup.
            guard event.call == .read, !event.isAfter, pthread_equal(looker, pthread_self()) != 0, let store,
                store.index.isOpen
            else { return 0 }
            let isTheOne = reads.withLock { count in
                defer { count += 1 }
                return count == number
            }
            while isTheOne, store.condition.isAdopting { sched_yield() }
            return 0
        }
        #expect(storage.isCached(forKey: "a"), "adopted at read \(number)")
        storage.store.close()
        return reads.withLock { $0 } > number
    }
}
