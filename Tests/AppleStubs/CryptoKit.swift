public import Foundation

// https://developer.apple.com/documentation/cryptokit/sha256
@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1, *)
public struct SHA256 {
    // https://developer.apple.com/documentation/cryptokit/hashfunction/hash(data:)
    public static func hash<Bytes: DataProtocol>(data: Bytes) -> SHA256Digest { SHA256Digest() }
}

// https://developer.apple.com/documentation/cryptokit/sha256digest
@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1, *)
public struct SHA256Digest: Sendable {
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}
