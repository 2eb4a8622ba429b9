package import HalcyonSQLite

/// The numbered SQL files of this folder, embedded in the binary, in the order in which they are applied.
///
/// A released file is never edited: its checksum is in the ledger of every index it was applied to. The page Upgrading of the
/// documentation describes how to add one.
package enum MigrationFiles {
    /// The checksums are precomputed, because computing them at each opening would take as long as the opening itself.
    package static let all = [
        Migration(
            version: 1, name: "V0001__create_entries.sql",
            sql: EmbeddedSQL.V0001__create_entries,
            checksum: "c9acbaa721a8abf8967f366db917e25bb84bc90dbcba674cd629e0049a62c1af", oldestReader: 1),
        // Version 1 ignores the column, and treats an entry under a legacy name as one whose key is never used.
        Migration(
            version: 2, name: "V0002__find_legacy_names.sql",
            sql: EmbeddedSQL.V0002__find_legacy_names,
            checksum: "1c1a1e7ce236707343fddeef0dfe0191f6d001ca27e729343c15557844dac2cb", oldestReader: 1),
        // Older versions neither write nor need the new columns and tables. A store by an older version removes a pin.
        Migration(
            version: 3, name: "V0003__count_uses.sql",
            sql: EmbeddedSQL.V0003__count_uses,
            checksum: "43829b8fba9692b78ff2bf2e0474c15215764845f07c80387926a4a819eb7bb8", oldestReader: 1),
        Migration(
            version: 4, name: "V0004__describe_entries.sql",
            sql: EmbeddedSQL.V0004__describe_entries,
            checksum: "a71edff930763bc647d7de545aadad9544fc0e5f68e33538b20b623159cdbb6d", oldestReader: 1),
        Migration(
            version: 5, name: "V0005__list_entries.sql",
            sql: EmbeddedSQL.V0005__list_entries,
            checksum: "e7531d0acc228330def97209107fcb40d227327a77494daadb13e3e0ff4152a3", oldestReader: 1),
        Migration(
            version: 6, name: "V0006__show_more.sql",
            sql: EmbeddedSQL.V0006__show_more,
            checksum: "009d673fb5abd07ec2c7dc75be8711dabbc364878727e5eb8a354bb7b95da62b", oldestReader: 1),
        // Older versions know neither `rank` nor the totals that the new triggers maintain.
        Migration(
            version: 7, name: "V0007__explain_itself.sql",
            sql: EmbeddedSQL.V0007__explain_itself,
            checksum: "4ccc1f575982ca9b655b76bd7f07270c284c43e5b06ff9f241e0edb6dd997d98", oldestReader: 7),
        Migration(
            version: 8, name: "V0008__copy_less.sql",
            sql: EmbeddedSQL.V0008__copy_less,
            checksum: "bc82ded356d93c98b385798f8dd73349f1587119446c7a53691b13441d5f3989", oldestReader: 7),
    ]
}
