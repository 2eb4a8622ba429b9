import CHalcyonSQLite
import Foundation
import Halcyon
import HalcyonTestSupport

/// A disk that temporarily cannot read a page of the index, or a blob.
final class BadDisk {
    private let vfs = FaultyVFS()
    private let fileSystem = FaultyFileSystem()
    private let page = Locked(BadPage())

    init() {
        vfs.observe { [page] event in
            guard event.call == .read, !event.isAfter, let path = event.path else { return SQLITE_OK }
            return page.withLock { $0.verdict(on: path, at: event.offset) }
        }
    }

    func change(_ environment: inout StorageEnvironment) {
        environment.vfs = vfs.name
        environment.fileSystem = fileSystem
    }

    /// Before an operation: sometimes makes a page or a blob bad.
    func plan(using generator: inout SeededGenerator) {
        fileSystem.endPlan()
        let (after, times) = (Int.random(in: 0..<6, using: &generator), Int.random(in: 1...4, using: &generator))
        switch Int.random(in: 0..<16, using: &generator) {
        // SQLITE_IOERR_CORRUPTFS, which SQLite's own VFS reports for EIO; SQLite may treat it as a damaged database.
        case 0: page.withLock { $0.plan(SQLITE_IOERR | 33 << 8, after: after, times: times) }
        case 1: page.withLock { $0.plan(SQLITE_IOERR | 1 << 8, after: after, times: times) }
        case 2: fileSystem.fail([.read: EIO], after: after, times: times)
        default: break
        }
    }
}

/// One of the next pages to be read; all reads of it fail for a number of times.
struct BadPage {
    private var code = SQLITE_OK
    private var after = 0
    private var times = 0
    private var place: (path: String, offset: Int64)?

    /// Unless another page is still bad.
    mutating func plan(_ code: Int32, after: Int, times: Int) {
        if self.times == 0 { self = BadPage(code: code, after: after, times: times) }
    }

    mutating func verdict(on path: String, at offset: Int64) -> Int32 {
        guard times > 0 else { return SQLITE_OK }
        if place == nil, after > 0 {
            after -= 1
            return SQLITE_OK
        }
        let place = place ?? (path, offset)
        self.place = place
        guard place == (path, offset) else { return SQLITE_OK }
        times -= 1
        return code
    }
}
