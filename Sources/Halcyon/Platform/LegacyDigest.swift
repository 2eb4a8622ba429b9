internal import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import Crypto
#endif

/// The MD5 that Kingfisher named files by until version 7. It protects nothing here: it only finds a file.
enum LegacyDigest {
    /// 32 lower-case digits of the text's UTF-8.
    static func hexadecimal(of text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = Insecure.MD5.hash(data: Data(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
