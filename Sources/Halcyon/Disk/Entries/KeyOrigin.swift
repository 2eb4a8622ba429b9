/// The image that an entry is a variant of.
@_spi(HalcyonTool) public struct KeyOrigin: Equatable, Sendable {
    /// 63 bits of the SHA-256 of the image's key: the same for all its variants, and known even if keys are not stored.
    let source: Int64
    /// The number of characters (Unicode scalars, as SQLite counts them) of the key that are the image's.
    let baseLength: Int

    /// The image's key, and the identifier after the "@" that follows it; empty for the image itself.
    static func parts<Key: Collection<UInt8>>(
        of key: Key, baseLength: Int
    ) -> (base: Key.SubSequence, processor: Key.SubSequence)? {
        var end = key.startIndex
        var scalars = 0
        while end < key.endIndex {
            // Not a continuation byte, so a character begins.
            if key[end] & 0xC0 != 0x80 {
                guard scalars < baseLength else { break }
                scalars += 1
            }
            key.formIndex(after: &end)
        }
        let rest = key[end...]
        guard scalars == baseLength, rest.isEmpty || rest.first == UInt8(ascii: "@") else { return nil }
        return (key[..<end], rest.dropFirst())
    }

    /// The host of a key that is a URL, in lower case, without user name, password and port; nil for other keys.
    ///
    /// Follows RFC 3986, section 3.2, but decodes nothing, because the result has to equal the column `host`.
    public static func host(ofKey key: String) -> String? {
        key.withBytes { host(of: $0[...]).map(lowercased) }
    }

    /// Like ``host(ofKey:)``, for the image's key. Empty if that is not a URL, nil if the key is too short.
    static func host(ofKey key: String, baseLength: Int) -> String? {
        key.withBytes { key in
            parts(of: key, baseLength: baseLength).map { host(of: $0.base).map(lowercased) ?? "" }
        }
    }

    /// Like ``host(ofKey:)``, in the original case.
    static func host<Key: BidirectionalCollection<UInt8>>(of key: Key) -> Key.SubSequence? {
        guard let colon = key.firstIndex(where: { !isSchemeByte($0) }), colon > key.startIndex,
            key[colon...].starts(with: "://".utf8)
        else { return nil }
        var server = key[colon...].dropFirst(3).prefix { !isEndOfAuthority($0) }
        if let at = server.lastIndex(of: UInt8(ascii: "@")) { server = server[at...].dropFirst() }
        var port = server
        while let last = port.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) { port.removeLast() }
        if port.last == UInt8(ascii: ":") { server = port.dropLast() }
        return server.isEmpty ? nil : server[...]
    }

    private static func isEndOfAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") || byte == 0
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "0123456789+.-".utf8.contains(byte)
    }

    /// Like SQLite's `lower()`: changes ASCII letters only.
    static func lowercased(_ text: String) -> String { lowercased(text.utf8) }

    private static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map(lowercased), as: UTF8.self)
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension KeyOrigin {
    /// The origin of an entry that is the image itself.
    @_spi(HalcyonTool) public init(baseKey: String) {
        self.init(source: Digest(of: baseKey).leading63Bits, baseLength: baseKey.unicodeScalars.count)
    }
}
