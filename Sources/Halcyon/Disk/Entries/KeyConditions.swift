/// A filter's conditions on keys, compared byte by byte, for rows of the index and for images in memory.
struct KeyConditions: Sendable {
    private let prefix: [UInt8]?
    /// In lower case.
    private let text: [UInt8]?
    private let host: [UInt8]?
    private let processor: [UInt8]?
    private let baseKeys: Set<[UInt8]>?
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
        sources = Set((filter.baseKeys ?? []).map { KeyOrigin(baseKey: $0).source })
        let hasCondition =
            prefix != nil || text != nil || host != nil || processor != nil || filter.baseKeys != nil
        guard hasCondition else { return nil }
    }

    /// - Parameters:
    ///   - key: nil if unknown.
    ///   - baseLength: the number of its characters that are the image's key; nil if unknown.
    ///   - source: the hash of the image's key; nil if unknown.
    func admit<Key: BidirectionalCollection<UInt8>>(_ key: Key?, baseLength: Int?, source: Int64?) -> Bool {
        guard admitsImage(key, source) else { return false }
        guard prefix != nil || text != nil || host != nil || processor != nil else { return true }
        guard let key else { return false }
        if let prefix, !key.starts(with: prefix) { return false }
        if let text, !key.containsLowercased(text) { return false }
        guard host != nil || processor != nil else { return true }
        let parts = baseLength.flatMap { KeyOrigin.parts(of: key, baseLength: $0) }
        if let processor, parts?.processor.elementsEqual(processor) != true { return false }
        guard let host else { return true }
        // The image's key: an identifier after a URL without a path is not part of the host.
        return KeyOrigin.host(of: parts?.base ?? key[...])?.equalsLowercased(host) ?? false
    }

    func admit(key: String) -> Bool { admit(key.utf8, baseLength: nil, source: nil) }

    private func admitsImage<Key: BidirectionalCollection<UInt8>>(_ key: Key?, _ source: Int64?) -> Bool {
        guard let baseKeys else { return true }
        if let source { return sources.contains(source) }
        guard let key else { return false }
        if baseKeys.count == 1, let base = baseKeys.first {
            guard key.starts(with: base) else { return false }
            let rest = key.dropFirst(base.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "@")
        }
        let ends = [key.endIndex] + key.indices.filter { key[$0] == UInt8(ascii: "@") }
        return ends.contains { baseKeys.contains(Array(key[..<$0])) }
    }
}

extension Collection<UInt8> {
    fileprivate func equalsLowercased(_ other: [UInt8]) -> Bool {
        elementsEqual(other) { KeyOrigin.lowercased($0) == $1 }
    }

    /// Treats two Unicode forms of one letter as different.
    fileprivate func containsLowercased(_ text: [UInt8]) -> Bool {
        guard let first = text.first else { return true }
        var rest = self[...]
        while let start = rest.firstIndex(where: { KeyOrigin.lowercased($0) == first }) {
            rest = rest[start...]
            if rest.prefix(text.count).equalsLowercased(text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
