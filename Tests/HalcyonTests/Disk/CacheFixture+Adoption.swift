import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

extension CacheFixture {
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
