internal import Foundation

/// The file name of a blob, and the row id that follows from it.
///
/// A path computed from a key is a promise of the API, so the name depends on nothing but the key, the extension and
/// whether names are hashed. It never leaves the cache's folder: what cannot be a file name there is hashed instead.
@_spi(HalcyonTool) public struct BlobName: Hashable, Sendable {
    /// Bytes of UTF-8. Two Unicode forms of one letter are two names.
    public let text: String

    public static func == (left: BlobName, right: BlobName) -> Bool {
        left.rowID == right.rowID && left.text.hasBytes(of: right.text)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(rowID) }

    /// 63 bits of the SHA-256 of the name: known before the row exists.
    public let rowID: Int64

    /// What the same key was named before the volume was known to fold names; nil where that is the same.
    private let formerText: String?

    /// The name under which an entry of the same key may still be.
    var former: BlobName? { formerText.map(BlobName.init(text:)) }

    /// This name, and the former one if there is one.
    var withFormer: [BlobName] { former.map { [self, $0] } ?? [self] }

    /// A name found in the index, which anybody may have edited: one that would leave the folder is hashed.
    package init(untrusted text: String) {
        self.init(text: Self.isSafe(text) ? text : Digest(of: text).hexadecimal)
    }

    /// A name found in the folder.
    public init(text: String) { self.init(text: text, formerText: nil) }

    private init(text: String, formerText: String?) {
        self.text = text
        self.formerText = formerText
        rowID = Digest(of: text).leading63Bits
    }

    /// The name of a key's blob.
    ///
    /// - Parameters:
    ///   - isHashed: lower-case hexadecimal SHA-256 of the key's UTF-8, or the key itself.
    ///   - pathExtension: appended after a dot; part of the entry's identity.
    ///   - isFolding: whether the volume takes names for one another that differ in case or Unicode form. Asked only if it matters.
    package init(
        key: String, isHashed: Bool, pathExtension: String?, isFolding: @autoclosure () -> Bool = false
    ) {
        let base = isHashed ? Digest(of: key).hexadecimal : key
        let name = pathExtension.map { "\(base).\($0)" } ?? base
        // Digits alone are safe: no need to look at each.
        if isHashed && pathExtension == nil {
            self.init(text: name)
        } else if !Self.isSafe(name) {
            self.init(text: Digest(of: name).hexadecimal)
        } else if Self.isFolded(name) || !isFolding() {
            self.init(text: name)
        } else {
            self.init(text: Digest(of: name).hexadecimal, formerText: name)
        }
    }

    /// Whether no other name of this form is the same to a volume that folds names: ASCII without capital letters.
    private static func isFolded(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// The name that stands alone among those that a folding volume takes for this one; nil if it is this one, or if none does.
    var folded: BlobName? {
        guard !Self.isFolded(text) else { return nil }
        // Both ways, because some letters share a capital one.
        let folded = text.decomposedStringWithCanonicalMapping.uppercased().lowercased()
        return Self.isFolded(folded) ? BlobName(text: folded) : nil
    }

    /// A hash and nothing else: no other name that a blob can have is the same to any volume.
    var isHash: Bool {
        let bytes = text.utf8
        return (bytes.count == 64 || bytes.count == 32) && bytes.allSatisfy(Self.isHexDigit)
    }

    /// Whether a name can stand in the folder as it is.
    ///
    /// Not: empty, hidden (which includes `.`, `..` and our own folder), longer than 255 bytes, with a slash or a NUL,
    /// or in another Unicode form than the composed one, which Apple's file systems would take for the same name.
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

    /// Whether a file of this name can be a blob: 64 lower-case hexadecimal digits and perhaps an extension, or any name
    /// that is not hidden where names are keys.
    package static func isBlobName(_ name: String, isHashed: Bool) -> Bool {
        guard isHashed else { return isSafe(name) }
        let bytes = name.utf8
        guard bytes.count >= 64, bytes.prefix(64).allSatisfy(isHexDigit) else { return false }
        return bytes.count == 64 || (bytes.count > 65 && bytes.dropFirst(64).first == UInt8(ascii: "."))
    }

    /// As ``isBlobName(_:isHashed:)``, for the names that Kingfisher 7 and earlier gave: the MD5 of the key, 32 digits. No key
    /// leads to such a file.
    package static func isLegacyName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count >= 32, bytes.prefix(32).allSatisfy(isHexDigit) else { return false }
        return bytes.count == 32 || (bytes.count > 33 && bytes.dropFirst(32).first == UInt8(ascii: "."))
    }

    /// As ``isBlobName(_:isHashed:)``, the names of Kingfisher 7 and earlier included.
    public static func isBlobOrLegacyName(_ name: String, isHashed: Bool) -> Bool {
        isBlobName(name, isHashed: isHashed) || (isHashed && isLegacyName(name))
    }

    /// What a key's names have in common, whatever extensions were forced. A name that is no hash is taken as it is.
    static func withoutExtension(_ name: String) -> String {
        isBlobName(name, isHashed: true) ? String(name.prefix(64)) : name
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension BlobName {
    /// The extension a key suggests: what follows the last dot of its part before the first `@`, if that is one to
    /// twenty letters or digits.
    package static func suggestedExtension(ofKey key: String) -> String? {
        let head = key.prefix { $0 != "@" }
        guard let dot = head.lastIndex(of: ".") else { return nil }
        let suffix = head[head.index(after: dot)...]
        guard (1...20).contains(suffix.count), suffix.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
        return String(suffix)
    }
}

extension String {
    /// Unlike `==`, which takes two forms of one letter for the same.
    fileprivate func hasBytes(of other: String) -> Bool {
        let areEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { haveEqualBytes(bytes, $0) }
        }
        return areEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

private func haveEqualBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
        return left.count == right.count
    }
    return memcmp(start, other, left.count) == 0
}
