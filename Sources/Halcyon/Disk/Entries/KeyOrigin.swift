/// Which image an entry is a variant of.
@_spi(HalcyonTool) public struct KeyOrigin: Equatable, Sendable {
    /// 63 bits of the SHA-256 of the image's key: the same for all its variants, and known also where keys are not kept.
    let source: Int64
    /// Characters (Unicode scalars, as SQLite counts them) of the key that are the image's.
    let baseLength: Int

    init(source: Int64, baseLength: Int) {
        self.source = source
        self.baseLength = baseLength
    }

    package init(baseKey: String) {
        source = Digest(of: baseKey).leading63Bits
        baseLength = baseKey.unicodeScalars.count
    }

    /// The image's key, and the identifier behind the "@" that follows it; empty for the image itself.
    static func parts(of key: String, baseLength: Int) -> (base: String, processor: String)? {
        let scalars = key.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: baseLength, limitedBy: scalars.endIndex) else {
            return nil
        }
        let rest = scalars[end...]
        guard rest.isEmpty || rest.first == "@" else { return nil }
        return (String(scalars[..<end]), String(rest.dropFirst()))
    }

    /// The server of a key that is an address, in lower case, without name, password and port; nil for other keys.
    ///
    /// As RFC 3986, section 3.2 has it, but nothing is decoded: it has to be what the view `cache_sites` shows.
    public static func host(ofKey key: String) -> String? {
        let bytes = Array(key.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            bytes[colon...].starts(with: "://".utf8), bytes[..<colon].allSatisfy(isSchemeByte)
        else { return nil }
        var server = bytes[(colon + 3)...].prefix { !"/?#\0".utf8.contains($0) }
        if let at = server.lastIndex(of: UInt8(ascii: "@")) { server = server[(at + 1)...] }
        let digits = server.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        if server.dropLast(digits).last == UInt8(ascii: ":") { server = server.dropLast(digits + 1) }
        return server.isEmpty ? nil : lowercased(String(decoding: server, as: UTF8.self))
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// As SQLite's `lower()`: ASCII letters only.
    static func lowercased(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }
}
