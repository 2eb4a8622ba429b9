import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The first look opens the index, and what follows an opening may be over before the look is.
@Suite(.endsEvenIfItHangs) struct FirstLookTests {
    @Test func `a file that becomes an entry during the first look is found by it, at whichever moment`() throws {
        let areThere = try (0..<4).map(isWaitedFor(atLook:))
        #expect(areThere.contains(true))
    }

    /// Looks for a file that is no entry yet. Before one of its looks at the file, when the index has answered, it waits until
    /// adoption has ended.
    ///
    /// - Returns: false when there are fewer looks.
    private func isWaitedFor(atLook number: Int) throws -> Bool {
        let folder = try TemporaryFolder()
        let files = FaultyFileSystem()
        let storage = OperationRun.storage(in: folder.url) { $0.fileSystem = files }
        try FileManager.default.createDirectory(at: storage.directoryURL, withIntermediateDirectories: true)
        try Data.blob(1).write(to: storage.cacheFileURL(forKey: "a"))
        let (looker, path) = (pthread_self(), storage.cacheFileURL(forKey: "a").path)
        let looks = Locked(0)
        files.observe { [weak store = storage.store] _, seen in
            guard seen == path, pthread_equal(looker, pthread_self()) != 0, let store else { return }
            let isTheOne = looks.withLock { count in
                defer { count += 1 }
                return count == number
            }
            while isTheOne, store.condition.isAdopting { sched_yield() }
        }
        #expect(storage.isCached(forKey: "a"), "adopted at look \(number)")
        storage.store.close()
        return looks.withLock { $0 } > number
    }
}
