internal import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import Crypto
#endif

/// A SHA-256 digest.
struct Digest {
    private let bytes: (UInt64, UInt64, UInt64, UInt64)

    /// The digest of a string's UTF-8.
    init(of text: String) {
        var text = text
        let digest = text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        bytes = digest.withUnsafeBytes { raw in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The first eight bytes without their first bit.
    var leading63Bits: Int64 { Int64(bitPattern: bytes.0 & ~(1 << 63)) }

    /// 64 lowercase digits. Converts by hand: `String(format:)` takes 32 µs per digit on Linux.
    var hexadecimal: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            for (index, word) in [bytes.0, bytes.1, bytes.2, bytes.3].enumerated() {
                for digit in 0..<16 {
                    let value = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(digit))) & 0xF
                    buffer[index * 16 + digit] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
                }
            }
            return 64
        }
    }
}
