import Foundation
import HalcyonTestSupport

/// Bytes that identify their store and key, in each group of eight, so that a piece of another value cannot hide in them.
enum TortureValue {
    /// Shorter values have no room for the identification.
    static let minimumLength = 64

    static func bytes(of store: StoreID, key: String, length: Int) -> Data {
        var bytes = Data("\(key) \(store) \(length)\n".utf8)
        var filler = SeededGenerator(seed: UInt64(store.worker) << 32 | UInt64(store.number))
        bytes.reserveCapacity(length + 8)
        while bytes.count < length { withUnsafeBytes(of: filler.next().littleEndian) { bytes.append(contentsOf: $0) } }
        return bytes.prefix(length)
    }

    /// The store of the bytes.
    ///
    /// - Throws: ``Mixed`` if they are not exactly those of one store of this key.
    static func store(of bytes: Data, key: String) throws -> StoreID {
        let header = bytes.prefix(minimumLength).split(separator: UInt8(ascii: "\n"), maxSplits: 1).first ?? Data()
        let text = String(decoding: header, as: UTF8.self)
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 3, let store = StoreID(words[1]), let length = Int(words[2]) else {
            throw Mixed(text: "\(bytes.count) bytes without a header")
        }
        guard words[0] == key else { throw Mixed(text: "a value of \(words[0]) under \(key)") }
        guard length == bytes.count else { throw Mixed(text: "\(bytes.count) of \(length) bytes of store \(store)") }
        guard bytes == Self.bytes(of: store, key: key, length: length) else {
            throw Mixed(text: "store \(store) with other bytes in it")
        }
        return store
    }

    struct Mixed: Error { let text: String }
}
