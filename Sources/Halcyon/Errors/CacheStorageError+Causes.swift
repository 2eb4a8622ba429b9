internal import Foundation
internal import HalcyonSQLite

extension CacheStorageError {
    /// Describes every failure of a lower layer.
    @_spi(HalcyonTool) public init(_ error: any Error) {
        switch error {
        case let error as CacheStorageError: self = error
        case let error as SystemError: self.init(error)
        case let error as SQLiteError: self.init(error)
        case let error as MigrationError: self.init(error)
        case is IndexSuspended:
            self.init(
                .suspended, "The cache is suspended.", remedy: "Call resume() first, and suspend() again afterwards.")
        case is EntryIndex.LogFull:
            self.init(
                .indexUnavailable,
                "The log of the index is too long: a connection has been reading for a long time, or the disk is slow.",
                remedy: "End long reads: a query, or a transaction in sqlite3. On a slow disk, store less at a time.")
        case let error as CocoaError where error.refusal != nil: self.init(error.refusal ?? error)
        default:
            let error = error as NSError
            self.init(
                .fileSystem, "The operation failed (\(error.domain), code \(error.code)).", remedy: "Try again.")
        }
    }

    /// Describes what a value's type has thrown. Not by its text, which may contain the value or its key.
    init(converting error: any Error) {
        let error = error as NSError
        self.init(
            .unconvertibleValue, "The value cannot be converted (\(error.domain), code \(error.code)).",
            remedy: "Look at what toData() or fromData(_:) of its type throws.")
    }

    static let notSerialized = CacheStorageError(
        .unconvertibleValue, "The image cannot be serialized.",
        remedy: "Look at why data(with:original:) of its serializer returns nil.")

    /// Describes what a read and the conversion of its bytes have thrown.
    init(loading error: any Error) {
        let isOfLowerLayer = error is SystemError || error is SQLiteError || error is CacheStorageError
        if isOfLowerLayer { self.init(error) } else { self.init(converting: error) }
    }

    private init(_ error: SystemError) {
        if error.isOutOfSpace {
            self.init(
                .diskFull, "No space is left for the cache (\(error)).", remedy: "Free space, or lower the size limit.",
                errnoCode: error.code)
        } else {
            self.init(
                .fileSystem, "The file system refused a call (\(error)).", remedy: error.remedy, errnoCode: error.code)
        }
    }

    private init(_ error: SQLiteError) {
        let code = error.code.rawValue
        // SQLite's message names tables and columns, never values.
        let cause = "SQLite says “\(error.message)”, code \(code)"
        switch error.code {
        case .unsupportedVersion:
            self.init(
                .unsupportedSQLite, "The SQLite library is too old: \(error.message).",
                remedy: "Install SQLite 3.35 or later (libsqlite3-dev).")
        // Those of Halcyon fail only in a damaged index, which has been rebuilt before an error gets here.
        case .constraint:
            self.init(
                .indexUnavailable, "A trigger or a constraint of the index refuses the change (\(cause)).",
                remedy: "Another program has added it. Find it with sqlite3 (SELECT name, sql FROM sqlite_schema), "
                    + "and drop it.",
                sqliteCode: code)
        case _ where error.isDamage:
            self.init(
                .indexDamaged, "The index is damaged (\(cause)).",
                remedy: "The next use rebuilds it from the blobs, and keeps the damaged file next to it.",
                sqliteCode: code)
        case _ where error.isOutOfSpace:
            self.init(
                .diskFull, "No space is left for the index (\(cause)).", remedy: "Free space, or lower the size limit.",
                sqliteCode: code)
        case .readOnly:
            self.init(
                .indexUnavailable, "The index cannot be written (\(cause)).",
                remedy: "Make the folder .halcyon and the files in it writable for this user, "
                    + "or choose a directory on a writable volume.",
                sqliteCode: code)
        case _ where error.isBusy:
            self.init(
                .indexUnavailable, "Another process holds the index's write lock (\(cause)).",
                remedy: "Try again. If it keeps failing, look for a stopped process that has the cache open, "
                    + "or for a transaction in sqlite3.",
                sqliteCode: code)
        default:
            self.init(
                .indexUnavailable, "The index cannot be used (\(cause)).",
                remedy: "Check that the folder .halcyon and the files in it can be read and written, "
                    + "that the process may open more files, and that the disk is healthy.",
                sqliteCode: code)
        }
    }

    private init(_ error: MigrationError) {
        switch error {
        case .newerSchema(let found, let known):
            self.init(
                .newerSchema,
                "The index has schema version \(found), and this version of Halcyon knows up to \(known).",
                remedy: "Use the newer version, or give this version its own directory.")
        case .edited(let version, let name):
            self.init(
                rebuilding: .editedMigration,
                "Migration \(version) (\(name)) differs from the one that was applied to this index.")
        case .foreignTables:
            self.init(rebuilding: .indexDamaged, "The file index.sqlite is a database of another program.")
        case .damagedLedger(let version):
            self.init(
                rebuilding: .indexDamaged, "The migration ledger of the index is invalid (at version \(version)).")
        case .inconsistentLedger(let userVersion, let ledgerVersion):
            self.init(
                rebuilding: .indexDamaged,
                "The index has schema version \(userVersion), but its ledger has version \(ledgerVersion).")
        }
    }

    private init(rebuilding code: Code, _ message: String) {
        self.init(
            code, message,
            remedy: "The next use of the cache rebuilds it from the blobs, and keeps the old file next to it.")
    }
}

extension CocoaError {
    /// The system call behind it. Foundation creates the parents of a cache directory.
    fileprivate var refusal: SystemError? {
        (userInfo[NSUnderlyingErrorKey] as? POSIXError).map { SystemError("mkdir", $0.code.rawValue) }
    }
}
