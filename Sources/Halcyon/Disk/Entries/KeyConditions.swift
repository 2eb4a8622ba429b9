/// The conditions of a filter on keys, judged byte by byte: for rows of the index, and for images in memory.
struct KeyConditions: Sendable {
    private let prefix: [UInt8]?
    /// In lower case.
    private let text: [UInt8]?
    private let host: [UInt8]?
    private let processor: [UInt8]?
    private let baseKeys: Set<[UInt8]>?
    /// Of the base keys.
    private let sources: Set<Int64>

    /// nil where a filter says nothing of keys.
    init?(_ filter: EntryFilter) {
        // Nothing is in each key, also in one that is not known.
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
    ///   - key: nil where it is not known.
    ///   - baseLength: characters of it that are the image's key; nil where nobody has said.
    ///   - source: of the image's key; nil where nobody has said.
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
        // The image's: an identifier behind an address without a path is no host.
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

    /// Letters that are written in two ways are two.
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
