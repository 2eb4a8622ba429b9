extension String {
    /// Passes the UTF-8 in one piece. A loop over it is several times as fast as one over `utf8`.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        // A copy for `withUTF8` would be retained.
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        var text = self
        return try text.withUTF8(body)
    }
}
