/// The findings of ``EntryStore/check(repair:progress:)``: rows against files, totals against sums, and SQLite's integrity check.
@_spi(HalcyonTool) public struct CheckReport: Equatable, Sendable {
    /// The number of rows, and the sum of their sizes.
    public var counted = Totals(entries: 0, bytes: 0)
    /// The totals noted in the index.
    public var noted = Totals(entries: 0, bytes: 0)
    /// File names of blobs without a row.
    public var orphans: [String] = []
    /// File names of rows without a file.
    public var dangling: [String] = []
    /// File names of rows whose file has a different length.
    public var wrongLengths: [String] = []
    /// File names of rows whose file is a different one of the same length.
    public var wrongInodes: [String] = []
    /// Ids of rows that no lookup can find.
    public var unreadableRows: [Int64] = []
    /// Files in `staging/` left by a crash.
    public var staleStaged = 0
    /// Files in `trash/`.
    public var trashed = 0
    /// Names in the directory that are not blobs. They are never touched.
    public var foreignFiles: [String] = []
    /// The findings of SQLite's integrity check, and the indexes, triggers and views that were dropped; empty if there are none.
    public var integrityFindings: [String] = []
    /// Whether adoption is under way. Files that wait for it are not orphans.
    public var isAdopting = false
    /// Whether the check has repaired the findings.
    public var isRepaired = false

    /// Whether nothing is wrong, except leftovers that every sweep removes.
    public var isSound: Bool {
        orphans.isEmpty && dangling.isEmpty && wrongLengths.isEmpty && wrongInodes.isEmpty && unreadableRows.isEmpty
            && integrityFindings.isEmpty && counted == noted
    }

    /// Whether it is sound and has no leftovers.
    package var isClean: Bool { isSound && staleStaged == 0 && trashed == 0 }
}
