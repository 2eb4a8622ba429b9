public import Foundation

/// The reason of a disk storage failure: a code, what happened, and a remedy.
///
/// It is the `error` of a ``KingfisherError/CacheErrorReason``, whose cases are fixed. Its text contains no keys.
public struct CacheStorageError: LocalizedError, CustomNSError, CustomStringConvertible, Sendable {
    /// The kind of failure. More may be added, so a switch needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number of the code, 3101 or higher.
        public let rawValue: Int
        /// Creates a code from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The index is locked or being closed, or its file cannot be opened, read or written now. No data was lost.
        public static let indexUnavailable = Code(rawValue: 3101)
        /// A newer version wrote the index and marked it as incompatible with this one.
        public static let newerSchema = Code(rawValue: 3102)
        /// A migration in this build differs from the one that was applied.
        public static let editedMigration = Code(rawValue: 3103)
        /// The SQLite library is older than 3.35.
        public static let unsupportedSQLite = Code(rawValue: 3104)
        /// The index is malformed or not a database.
        public static let indexDamaged = Code(rawValue: 3105)
        /// The volume has no space left, or a quota is exhausted.
        public static let diskFull = Code(rawValue: 3106)
        /// The file system refused a call.
        public static let fileSystem = Code(rawValue: 3107)
        /// A directory with contents has a blob's name, or a file of the index is a directory, a pipe or a link.
        public static let blockedName = Code(rawValue: 3108)
        /// An entry exists, and the caller does not allow overwriting.
        public static let alreadyExists = Code(rawValue: 3109)
        /// The name of a new cache is empty.
        public static let emptyName = Code(rawValue: 3110)
        /// The index does not accept a tag or the metadata of an entry.
        public static let invalidAttributes = Code(rawValue: 3113)
        /// A filter for removing entries has an empty text or key prefix.
        public static let invalidFilter = Code(rawValue: 3114)
        /// The cache is suspended: see ``ImageCache/suspend(completion:)``. No data was lost.
        public static let suspended = Code(rawValue: 3111)
        /// The closure that fetches a key waits for the same key, directly or through other keys.
        public static let cyclicFetch = Code(rawValue: 3115)
        /// A value cannot be converted to or from bytes. The call throws the error of its type; only the observer gets this one.
        public static let unconvertibleValue = Code(rawValue: 3116)
    }

    /// The kind of failure.
    public let code: Code
    /// The failure in one sentence.
    public let message: String
    /// How to fix it.
    public let remedy: String
    /// The `errno` of a failed system call.
    public let errnoCode: Int32?
    /// SQLite's extended result code, if SQLite failed.
    public let sqliteCode: Int32?

    init(_ code: Code, _ message: String, remedy: String, errnoCode: Int32? = nil, sqliteCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.errnoCode = errnoCode
        self.sqliteCode = sqliteCode
    }

    /// The same as ``KingfisherError/domain``.
    public static let errorDomain = "com.onevcat.Kingfisher.Error"
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: description, NSLocalizedRecoverySuggestionErrorKey: remedy]
    }
    public var errorDescription: String? { description }
    public var recoverySuggestion: String? { remedy }
    /// ``message`` and ``remedy``.
    public var description: String { "\(message) \(remedy)" }
}
