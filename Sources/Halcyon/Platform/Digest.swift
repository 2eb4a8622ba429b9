internal import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import Crypto
#endif

/// A SHA-256 digest.
struct Digest {
    private let digest: SHA256Digest

    /// The digest of a string's UTF-8.
    init(of text: String) {
        digest = text.withBytes { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
    }

    /// The first eight bytes without their first bit.
    var leading63Bits: Int64 {
        digest.withUnsafeBytes { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) & .max }
    }

    /// 64 lowercase digits.
    var hexadecimal: String { digest.withUnsafeBytes(PackedName.unpack) }
}
