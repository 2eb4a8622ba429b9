/// The extent of a run.
struct Plan {
    /// The numbers of entries of the caches, ascending.
    let counts: [Int]
    /// Measure the file-attribute backend up to this number of entries: each of its totals takes 70 µs per entry.
    let attributeLimit: Int
    /// Measure tmpfs up to this number of entries: beyond it, tmpfs shows little more than the disk.
    let tmpfsLimit: Int
    /// Entries of the memory storage.
    let memoryCounts: [Int]
    /// Rows of the indexes for queries of pages.
    let queryCounts: [Int]
    /// Repeats; their medians are compared with each other.
    let rounds = 5

    static let quick = Plan(
        counts: [1_000, 10_000, 100_000], attributeLimit: 10_000, tmpfsLimit: 10_000, memoryCounts: [1_000, 100_000],
        queryCounts: [100_000])
    static let full = Plan(
        counts: [1_000, 10_000, 100_000, 1_000_000], attributeLimit: 100_000, tmpfsLimit: .max,
        memoryCounts: [1_000, 100_000, 1_000_000], queryCounts: [100_000, 1_000_000])
}
