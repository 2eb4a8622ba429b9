extension DiskStorage {
    /// A value that is to be stored, and what is to be remembered of it.
    public struct NewValue<Value: Sendable>: Sendable {
        /// What is stored, and returned to all who wait.
        public var value: Value
        /// nil for ``Config/expiration``.
        public var expiration: StorageExpiration?
        /// Validators, tags and the like.
        public var attributes: EntryAttributes

        /// A value of which nothing else is to be remembered, unless you say so.
        public init(_ value: Value, expiration: StorageExpiration? = nil, attributes: EntryAttributes = .init()) {
            self.value = value
            self.expiration = expiration
            self.attributes = attributes
        }
    }

    /// What a server answers when it is asked about a value that is no longer fresh.
    public enum Renewal<Value: Sendable>: Sendable {
        /// The value is the same (status 304).
        case unchanged(HTTPFreshness)
        /// The server has sent another one.
        case new(NewValue<Value>)
    }
}
