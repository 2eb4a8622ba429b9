/// A filter's conditions on keys, compared byte by byte, for rows of the index and for images in memory.
struct KeyConditions: Sendable {
    private let prefix: [UInt8]?
    /// In lower case.
    private let text: [UInt8]?
    private let host: [UInt8]?
    private let processor: [UInt8]?
    private let baseKeys: Set<[UInt8]>?
    /// The lengths of the base keys: prefixes of other lengths need not be compared.
    private let baseLengths: Set<Int>
    /// The hashes of the base keys.
    private let sources: Set<Int64>

    /// nil if the filter has no conditions on keys.
    init?(_ filter: EntryFilter) {
        // An empty text is not a condition: every key contains it, even one that is unknown.
        prefix = filter.keyPrefix.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        text = filter.text.flatMap { $0.isEmpty ? nil : Array(KeyOrigin.lowercased($0).utf8) }
        host = filter.host.map { Array(KeyOrigin.lowercased($0).utf8) }
        processor = filter.processorIdentifier.map { Array($0.utf8) }
        baseKeys = filter.baseKeys.map { Set($0.map { Array($0.utf8) }) }
        baseLengths = Set((baseKeys ?? []).map(\.count))
        sources = Set((filter.baseKeys ?? []).map { KeyOrigin(baseKey: $0).source })
        guard needsKey || baseKeys != nil else { return nil }
    }

    private var needsKey: Bool { prefix != nil || text != nil || host != nil || processor != nil }

    /// - Parameters:
    ///   - key: nil if unknown.
    ///   - baseLength: the number of its characters that are the image's key; nil if unknown.
    ///   - source: the hash of the image's key; nil if unknown.
    func admits<Key: BidirectionalCollection<UInt8>>(_ key: Key?, baseLength: Int?, source: Int64?) -> Bool {
        admitsImage(key, source) && (!needsKey || admitsKey(key, baseLength: baseLength))
    }

    private func admitsKey<Key: BidirectionalCollection<UInt8>>(_ key: Key?, baseLength: Int?) -> Bool {
        guard let key else { return false }
        if let prefix, !key.starts(with: prefix) { return false }
        if let text, !key.indices.contains(where: { key[$0...].starts(with: text, by: Self.isEqual) }) { return false }
        guard host != nil || processor != nil else { return true }
        let parts = baseLength.flatMap { KeyOrigin.parts(of: key, baseLength: $0) }
        if let processor, parts?.processor.elementsEqual(processor) != true { return false }
        guard let host else { return true }
        // The image's key: an identifier after a URL without a path is not part of the host.
        return KeyOrigin.host(of: parts?.base ?? key[...])?.elementsEqual(host, by: Self.isEqual) ?? false
    }

    /// Treats two Unicode forms of one letter as different.
    private static func isEqual(_ byte: UInt8, lowercased: UInt8) -> Bool { KeyOrigin.lowercased(byte) == lowercased }

    /// - Parameter baseKey: the image's key; nil if unknown, as in memory. Without a path, the identifier of a variant may then look
    ///   like a host, and the host like a user name, so both are accepted.
    func admits(key: String, baseKey: String? = nil) -> Bool {
        if let baseKey {
            // Without its hash: each call on a cache asks this for each removal that has not ended.
            guard baseKeys?.contains(Array(baseKey.utf8)) ?? true else { return false }
            return !needsKey || admitsKey(key.utf8, baseLength: baseKey.unicodeScalars.count)
        }
        if admits(key.utf8, baseLength: nil, source: nil) { return true }
        guard host != nil else { return false }
        // A user name ends with the first one, the host with the second one.
        return key.unicodeScalars.enumerated().lazy.filter { $0.element == "@" }.prefix(2)
            .contains { admits(key.utf8, baseLength: $0.offset, source: nil) }
    }

    private func admitsImage<Key: BidirectionalCollection<UInt8>>(_ key: Key?, _ source: Int64?) -> Bool {
        guard let baseKeys else { return true }
        if let source { return sources.contains(source) }
        guard let key else { return false }
        return baseKeys.contains(Array(key))
            || key.indices.enumerated().contains { length, end in
                key[end] == UInt8(ascii: "@") && baseLengths.contains(length) && baseKeys.contains(Array(key[..<end]))
            }
    }
}
