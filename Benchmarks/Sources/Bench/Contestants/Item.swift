import Crypto
import Foundation

/// One entry of all contestants: the same key and file name, in each contestant's own folder.
struct Item: Sendable {
    let key: String
    /// The path of the bare file, ready for a system call: creating it is not part of the call's cost.
    let barePath: [CChar]

    init(_ number: Int, bare: BareFiles) {
        key = Self.key(number)
        barePath = bare.path(Self.name(ofKey: key))
    }

    /// URLs of 60 bytes, on a hundred hosts.
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

/// The bytes of a blob. Neighbors differ, so that the disk cannot save writes of zeros.
func blob(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }) }
