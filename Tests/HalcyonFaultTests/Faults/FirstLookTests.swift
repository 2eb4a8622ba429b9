import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// The first lookup opens the index, and the work after the opening may end before the lookup does.
@Suite(.endsEvenIfItHangs) struct FirstLookTests {
    @Test func `the first lookup finds a file that is adopted at any moment during the lookup`() throws {
        let areThere = try (0..<4).map(isWaitedFor(atLook:))
        #expect(areThere.contains(true))
    }

    /// Looks up a file that is not an entry yet. Before one of its checks of the file, after the index has answered, the lookup
    /// waits until the adoption has ended.
    ///
    /// - Returns: false if there are fewer checks.
    private func isWaitedFor(atLook number: Int) throws -> Bool {
        let folder = try TemporaryFolder()
        let files = FaultyFileSystem()
        let storage = OperationRun.storage(in: folder.url) { $0.fileSystem = files }
        try FileManager.default.createDirectory(at: storage.directoryURL, withIntermediateDirectories: true)
        try Data.blob(1).write(to: storage.cacheFileURL(forKey: "a"))
        let path = storage.cacheFileURL(forKey: "a").path
        let looker = CallingThread()
        let looks = Locked(0)
        files.observe { [weak store = storage.store] _, seen in
            guard seen == path, looker.isCurrent, let store else { return }
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
