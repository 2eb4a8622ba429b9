public import Foundation

public struct SHA256 {
    public static func hash<Bytes: DataProtocol>(data: Bytes) -> SHA256Digest { SHA256Digest() }
}

public struct SHA256Digest: Sendable {
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

public enum Insecure {
    public struct MD5 {
        public static func hash<Bytes: DataProtocol>(data: Bytes) -> MD5Digest { MD5Digest() }
    }

    public struct MD5Digest: Sequence, Sendable {
        public func makeIterator() -> Array<UInt8>.Iterator { [UInt8]().makeIterator() }
    }
}
