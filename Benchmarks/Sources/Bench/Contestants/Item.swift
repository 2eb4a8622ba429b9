import Crypto
import Foundation

/// One entry of all contestants: the same key, the same file name, each in a folder of its own.
struct Item: Sendable {
    let key: String
    /// Of the file among the bare ones, ready for a system call: making it is not part of what such a call costs.
    let barePath: [CChar]

    init(_ number: Int, bare: BareFiles) {
        key = Self.key(number)
        barePath = bare.path(Self.name(ofKey: key))
    }

    /// Addresses of 60 bytes, on a hundred hosts.
    static func key(_ number: Int) -> String {
        let digits = String(number)
        let host = String(number % 100)
        let head = "https://img" + (host.count == 1 ? "0" + host : host) + ".example.com/pictures/"
        return head + String(repeating: "0", count: 56 - head.count - digits.count) + digits + ".jpg"
    }

    /// As the library and the file-attribute backend name it: the SHA-256 of the key.
    static func name(ofKey key: String) -> String {
        let digits = Array("0123456789abcdef")
        return SHA256.hash(data: Data(key.utf8)).reduce(into: "") { name, byte in
            name.append(digits[Int(byte >> 4)])
            name.append(digits[Int(byte & 15)])
        }
    }
}

/// Bytes of a blob. No two neighbours alike, so that nothing is saved by writing zeros.
func blob(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }) }
