package import Foundation

extension Data {
    /// Bytes that identify their seed.
    package static func blob(_ seed: Int, count: Int = 100) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: seed &* 31 &+ $0) })
    }
}
