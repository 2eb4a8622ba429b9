/// What ``Checker/check(repair:progress:)`` found: rows against files, totals against sums, and SQLite's own opinion.
@_spi(HalcyonTool) public struct CheckReport: Equatable, Sendable {
    /// Rows of the index, and the sum of their sizes.
    public var counted = Totals(entries: 0, bytes: 0)
    /// What the index had noted of that.
    public var noted = Totals(entries: 0, bytes: 0)
    /// File names of blobs without a row.
    public var orphans: [String] = []
    /// File names of rows without a file.
    public var dangling: [String] = []
    /// File names whose file has another length than the row says.
    public var wrongLengths: [String] = []
    /// File names whose file is another one of the same length.
    public var wrongInodes: [String] = []
    /// Ids of rows that no lookup can find.
    public var unreadableRows: [Int64] = []
    /// Files in `staging/` left by a crash.
    public var staleStaged = 0
    /// Files in `trash/`.
    public var trashed = 0
    /// Names in the folder that are no blobs: never touched.
    public var strangers: [String] = []
    /// SQLite's integrity check; empty when all is well.
    public var integrityFindings: [String] = []
    /// Files that wait to be adopted are no orphans.
    public var isAdopting = false
    /// Set by a run with `repair`: what is listed above was put in order.
    public var isRepaired = false

    /// Nothing is wrong but leftovers that every sweep removes.
    public var isSound: Bool {
        orphans.isEmpty && dangling.isEmpty && wrongLengths.isEmpty && wrongInodes.isEmpty && unreadableRows.isEmpty
            && integrityFindings.isEmpty && counted == noted
    }

    /// Sound, and no leftovers either.
    package var isClean: Bool { isSound && staleStaged == 0 && trashed == 0 }
}
