extension DiskStorage {
    /// A value to store, with its attributes.
    public struct NewValue<Value: Sendable>: Sendable {
        /// The value to store, and to return to all waiting callers.
        public var value: Value
        /// When it expires; nil for ``Config/expiration``.
        public var expiration: StorageExpiration?
        /// Its validators, tags and so on.
        public var attributes: EntryAttributes

        /// Creates a value, without attributes unless you pass some.
        public init(_ value: Value, expiration: StorageExpiration? = nil, attributes: EntryAttributes = .init()) {
            self.value = value
            self.expiration = expiration
            self.attributes = attributes
        }
    }

    /// The answer of a server about a value that is no longer fresh.
    public enum Renewal<Value: Sendable>: Sendable {
        /// The value is the same (status 304).
        case unchanged(HTTPFreshness)
        /// The server has sent another value.
        case new(NewValue<Value>)
        /// The server no longer has one (status 404 or 410). The entry is removed, pinned or not, and the waiting
        /// tasks throw this error.
        case gone(any Error)
    }
}
