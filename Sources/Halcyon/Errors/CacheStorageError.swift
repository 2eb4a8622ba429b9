public import Foundation

/// Why the disk storage failed: a code, what happened, and what to do about it.
///
/// It travels as the `error` of a ``KingfisherError/CacheErrorReason``, whose cases are fixed. No key is in its text.
public struct CacheStorageError: LocalizedError, CustomNSError, CustomStringConvertible, Sendable {
    /// The kind of failure. More may come: a switch needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// 3101 and up.
        public let rawValue: Int
        /// A code by its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The index is locked, or its file cannot be opened, read or written just now. Nothing was lost.
        public static let indexUnavailable = Code(rawValue: 3101)
        /// The index was written by a newer version, which says that this one cannot use it.
        public static let newerSchema = Code(rawValue: 3102)
        /// A migration in this build differs from the one that was applied.
        public static let editedMigration = Code(rawValue: 3103)
        /// The SQLite library is older than 3.35.
        public static let unsupportedSQLite = Code(rawValue: 3104)
        /// The index is malformed or not a database.
        public static let indexDamaged = Code(rawValue: 3105)
        /// No space is left on the volume, or a quota is used up.
        public static let diskFull = Code(rawValue: 3106)
        /// The file system refused a call.
        public static let fileSystem = Code(rawValue: 3107)
        /// Something that is not a blob is at a blob's place.
        public static let blockedName = Code(rawValue: 3108)
        /// An entry exists, and the caller asked not to overwrite it.
        public static let alreadyExists = Code(rawValue: 3109)
        /// A cache without a name was asked for.
        public static let emptyName = Code(rawValue: 3110)
        /// A tag or the metadata of an entry are not what the index takes.
        public static let invalidAttributes = Code(rawValue: 3113)
        /// Entries were to be removed by a condition that says nothing.
        public static let invalidFilter = Code(rawValue: 3114)
        /// The cache is suspended: see ``ImageCache/suspend(completion:)``. Nothing was lost.
        public static let suspended = Code(rawValue: 3111)
    }

    /// What kind of failure it was.
    public let code: Code
    /// What happened, in one sentence.
    public let message: String
    /// What to do about it.
    public let remedy: String
    /// The C library's `errno`, where a call of the system failed.
    public let errnoCode: Int32?
    /// SQLite's extended result code, where SQLite failed.
    public let sqliteCode: Int32?

    init(_ code: Code, _ message: String, remedy: String, errnoCode: Int32? = nil, sqliteCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.errnoCode = errnoCode
        self.sqliteCode = sqliteCode
    }

    /// As ``KingfisherError/domain``.
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
