extension String {
    /// Passes the UTF-8 in one piece. A loop over it is several times as fast as one over `utf8`.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8(body)
    }
}
