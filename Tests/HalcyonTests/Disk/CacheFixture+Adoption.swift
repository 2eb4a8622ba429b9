import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

extension CacheFixture {
    /// Closes the index and changes the mode of all files, later than the index was created.
    func changeModes() throws {
        let (files, created) = (POSIXFileSystem(), try storage.store.index.read { try $0.state().adoptsUntil })
        storage.store.close()
        for name in names(in: "..") where name != ".halcyon" {
            let path = directory.appendingPathComponent(name).path
            // The clock of change times has coarse ticks.
            repeat { _ = chmod(path, 0o640) } while try files.status(at: path).changed <= created
        }
    }

    /// From now on, files without a row are to become entries, as in a folder that Kingfisher wrote.
    func beginAdoption() throws {
        try storage.store.index.write { session in
            var state = try session.state()
            state.adoption = .pending
            state.adoptsUntil = Timestamp(Date()).advanced(by: 60_000)
            try session.setState(state)
        }
    }
}
