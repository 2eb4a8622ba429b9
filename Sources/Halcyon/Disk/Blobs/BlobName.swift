internal import Foundation

/// The file name of a blob, and the row id that follows from it.
///
/// The API promises a path for each key, so the name depends only on the key, the extension and whether names are hashed. It never
/// leaves the cache directory: a key that cannot be a file name there is hashed.
@_spi(HalcyonTool) public struct BlobName: Hashable, Sendable {
    /// Compared as UTF-8. Two Unicode forms of one letter make two names. Contains no NUL.
    public let text: String

    public static func == (left: BlobName, right: BlobName) -> Bool {
        left.rowID == right.rowID && left.text.withCString { left in right.text.withCString { strcmp(left, $0) == 0 } }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(rowID) }

    /// 63 bits of the SHA-256 of the name, so it is known before the row exists.
    public let rowID: Int64

    /// The name that this key had before the volume was known to fold names; nil if it is the same.
    private let formerText: String?

    /// The name under which an entry of the same key may still be.
    var former: BlobName? { formerText.map(BlobName.init(text:)) }

    /// This name, and the former one if there is one.
    var withFormer: [BlobName] { former.map { [self, $0] } ?? [self] }

    /// A name from the index, which another program may have edited. A name that would leave the directory is hashed.
    package init(untrusted text: String) {
        self.init(text: Self.isSafe(text) ? text : Digest(of: text).hexadecimal)
    }

    /// A name found in the directory.
    public init(text: String) { self.init(text: text, formerText: nil) }

    private init(text: String, formerText: String?) {
        self.text = text
        self.formerText = formerText
        rowID = Digest(of: text).leading63Bits
    }

    /// The name of a key's blob.
    ///
    /// - Parameters:
    ///   - isHashed: true for the lower-case hexadecimal SHA-256 of the key's UTF-8, false for the key itself.
    ///   - pathExtension: appended after a dot; part of the entry's identity.
    ///   - isFolding: whether the volume ignores case or Unicode form in names. Evaluated only if it matters.
    package init(
        key: String, isHashed: Bool, pathExtension: String?, isFolding: @autoclosure () -> Bool = false
    ) {
        let base = isHashed ? Digest(of: key).hexadecimal : key
        let name = pathExtension.map { "\(base).\($0)" } ?? base
        // Hexadecimal digits are safe: no need to check each.
        if isHashed && pathExtension == nil {
            self.init(text: name)
        } else if !Self.isSafe(name) {
            self.init(text: Digest(of: name).hexadecimal)
        } else if Self.isUnique(name) || !isFolding() {
            self.init(text: name)
        } else {
            self.init(text: Digest(of: name).hexadecimal, formerText: name)
        }
    }

    /// Whether no other name of this form is the same on a volume that folds names. For FAT, such a name also has no tilde, which its short
    /// names have, and no dot at the end, which it removes.
    private static func isUnique(_ name: String) -> Bool {
        isFolded(name) && name.withBytes { $0.last != UInt8(ascii: ".") && !$0.contains(UInt8(ascii: "~")) }
    }

    /// Whether case and Unicode form do not matter to a name: ASCII without capital letters.
    private static func isFolded(_ name: String) -> Bool {
        name.withBytes { bytes in
            // Without a branch for each byte: every lookup of a new key does this.
            var others: UInt8 = 0
            for byte in bytes { others |= (byte >> 7) | (byte &- UInt8(ascii: "A") < 26 ? 1 : 0) }
            return others == 0
        }
    }

    /// Whether the key has this name on every volume.
    var isCertain: Bool { formerText == nil && Self.isUnique(text) }

    /// The one folded name among those that a folding volume treats as this one; nil if it is this one, or there is none.
    var folded: BlobName? {
        guard !Self.isFolded(text) else { return nil }
        // Both ways, because some letters share a capital one.
        let folded = text.decomposedStringWithCanonicalMapping.uppercased().lowercased()
        return Self.isFolded(folded) ? BlobName(text: folded) : nil
    }

    /// Whether the name is only a hash. No volume treats another name that a blob can have as the same.
    var isHash: Bool {
        text.withBytes { ($0.count == 64 || $0.count == 32) && $0.allSatisfy(Self.isHexDigit) }
    }

    /// Whether the directory can contain this name as it is.
    ///
    /// False if it is empty, hidden (which includes `.`, `..` and `.halcyon`) or longer than 255 bytes, if it contains a slash or a
    /// NUL, or if it is not in composed Unicode form, which Apple's file systems would treat as the same name.
    private static func isSafe(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= 255 else { return false }
        var isASCII = true
        for byte in bytes {
            if byte == UInt8(ascii: "/") || byte == 0 { return false }
            if byte >= 0x80 { isASCII = false }
        }
        return isASCII || name.precomposedStringWithCanonicalMapping.utf8.elementsEqual(bytes)
    }

    /// Whether a file of this name can be a blob: 64 lower-case hexadecimal digits and an optional extension. If names are not
    /// hashed, any name that can be a key's.
    package static func isBlobName(_ name: String, isHashed: Bool) -> Bool {
        isHashed ? isHash(name, digits: 64) : isSafe(name)
    }

    /// Like ``isBlobName(_:isHashed:)``, for the names of Kingfisher 7 and earlier: the MD5 of the key, 32 digits. No key maps to
    /// such a file.
    package static func isLegacyName(_ name: String) -> Bool { isHash(name, digits: 32) }

    /// Whether a name is this many lower-case hexadecimal digits and an optional extension.
    private static func isHash(_ name: String, digits: Int) -> Bool {
        let bytes = name.utf8
        guard bytes.count >= digits, bytes.prefix(digits).allSatisfy(isHexDigit), isSafe(name) else { return false }
        return bytes.count == digits || bytes.dropFirst(digits).first == UInt8(ascii: ".")
    }

    /// Like ``isBlobName(_:isHashed:)``, including the names of Kingfisher 7 and earlier.
    public static func isBlobOrLegacyName(_ name: String, isHashed: Bool) -> Bool {
        isBlobName(name, isHashed: isHashed) || (isHashed && isLegacyName(name))
    }

    /// The part of a name that is the same for all extensions of a key. Returns a name that is not a hash unchanged.
    static func withoutExtension(_ name: String) -> String {
        isBlobName(name, isHashed: true) ? String(name.prefix(64)) : name
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension BlobName {
    /// The extension that a key suggests: the characters after the last dot before the first `@` that is not at the beginning, if they are
    /// one to twenty letters or digits.
    package static func suggestedExtension(ofKey key: String) -> String? {
        let head = key.drop { $0 == "@" }.prefix { $0 != "@" }
        guard let dot = head.lastIndex(of: ".") else { return nil }
        let suffix = head[head.index(after: dot)...]
        guard (1...20).contains(suffix.count), suffix.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
        return String(suffix)
    }
}
