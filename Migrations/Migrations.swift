/// The numbered SQL files of this folder, embedded in the binary, in the order in which they are applied.
///
/// A released file is never edited: its checksum is in the ledger of every index it was applied to. How to add one is
/// in CONTRIBUTING.md.
package enum MigrationFiles {
    package struct File: Sendable {
        /// 1 for `V0001__….sql`; numbers have no gaps.
        package let version: Int
        /// The file's name.
        package let name: String
        package let sql: String
        /// The oldest schema version whose code can still use an index that has this change.
        package let oldestReader: Int
    }

    package static let all = [
        File(
            version: 1, name: "V0001__create_entries.sql",
            sql: text(PackageResources.V0001__create_entries_sql), oldestReader: 1),
        // Version 1 passes over the column, and takes an entry under a legacy name for one that nobody asks for.
        File(
            version: 2, name: "V0002__find_legacy_names.sql",
            sql: text(PackageResources.V0002__find_legacy_names_sql), oldestReader: 1),
        // Older versions fill none of the new columns and tables, and need none. A store by one of them takes a pin away.
        File(
            version: 3, name: "V0003__count_uses.sql",
            sql: text(PackageResources.V0003__count_uses_sql), oldestReader: 1),
        File(
            version: 4, name: "V0004__describe_entries.sql",
            sql: text(PackageResources.V0004__describe_entries_sql), oldestReader: 1),
        File(
            version: 5, name: "V0005__list_entries.sql",
            sql: text(PackageResources.V0005__list_entries_sql), oldestReader: 1),
        File(
            version: 6, name: "V0006__show_more.sql",
            sql: text(PackageResources.V0006__show_more_sql), oldestReader: 1),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
