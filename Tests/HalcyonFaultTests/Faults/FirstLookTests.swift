import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The first look opens the index, and what follows an opening may be over before the look is.
@Suite(.endsEvenIfItHangs) struct FirstLookTests {
    @Test func `the first lookup finds a file that is adopted at any moment during the lookup`() throws {
        // How many there are depends on how early adoption ends.
        let areThere = try (0..<8).map(isWaitedFor)
        #expect(areThere.contains(true))
    }

    /// Looks for a file that is no entry yet. At one of the reads from the index the look waits until adoption has ended.
    ///
    /// - Returns: false when there are fewer reads.
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
            // Once the index is open, the reads of this thread are those of the look.
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
